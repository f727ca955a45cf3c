import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@feed-receiver/database'
import { createInbox } from '@feed-receiver/inbox'
import { describe, expect, it, onTestFinished } from 'vitest'
import { seededRandom } from '../faults/random.ts'
import { startProgram, type RunningProgram } from '../../support/start-program.ts'
import { createTarget, describeOnEach, type DatabaseKind } from '../../support/databases.ts'

const program = new URL('alerts-process.ts', import.meta.url)
const start = Date.parse('2026-11-02T10:00:00Z')
const minute = 60_000

/** An inbox with dead entries, and processes that check it. */
async function prepare(kind: DatabaseKind) {
  const { target, drop } = await createTarget(kind, 'inbox')
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-alerts-'))
  const file = join(folder, 'sent')
  onTestFinished(async () => {
    await rm(folder, { recursive: true, force: true })
    await drop()
  })
  const run = async (text: string, values: unknown[]) => {
    await using database = openDatabase(target)
    await database.query(text, values)
  }
  await using inbox = createInbox({ database: target })
  await inbox.start()
  return {
    die: (...types: string[]) =>
      run(
        `insert into feed_inbox.entry (source, event_id, state, type, provider, category, title,
           confirmation, created_at, received_at, handled_at)
         select 'feed', type, 'dead', type, 'p', 'c', 't', 'confirmed', $2, $2, $2
         from unnest($1::text[]) type`,
        [types, new Date(start)],
      ),
    revive: () => run(`update feed_inbox.entry set state = 'done' where source = $1`, ['feed']),
    async startProcess(): Promise<RunningProgram> {
      const child = startProgram(program, [
        typeof target === 'string' ? target : target.folder,
        file,
      ])
      onTestFinished(() => child.kill('SIGKILL'))
      await child.nextLine()
      return child
    },
    sent: async () => (await readFile(file, 'utf8').catch(() => '')).trim().split('\n'),
  }
}

async function check(child: RunningProgram, at: number): Promise<void> {
  child.send(String(at))
  await child.nextLine()
}

async function dieAt(child: RunningProgram, at: number, step: string): Promise<void> {
  child.send(`${at} ${step}`)
  expect(await child.ended).toBe('SIGKILL')
}

describeOnEach('alerts on %s', (kind) => {
  it('are sent by the next process after one is killed', async () => {
    const world = await prepare(kind)
    await world.die('outage_started')
    const died = async (at: number, step: string) => dieAt(await world.startProcess(), at, step)
    await died(start, 'updated')
    await died(start, 'leased')
    await died(start + minute, 'sent')
    const second = await world.startProcess()
    // The lease of the killed process lasts half a minute.
    await check(second, start + minute + 29_000)
    expect(await world.sent()).toEqual(['feed/1/open'])
    await check(second, start + 2 * minute)
    await check(second, start + 3 * minute)
    expect(await world.sent()).toEqual(['feed/1/open', 'feed/1/open'])
    second.kill('SIGKILL')
    await second.ended

    await world.revive()
    await died(start + 4 * minute, 'updated')
    await died(start + 20 * minute, 'leased')
    const last = await world.startProcess()
    for (const at of [21, 22, 60]) await check(last, start + at * minute)
    expect((await world.sent()).slice(2)).toEqual(['feed/1/closed'])
    last.kill('SIGKILL')
    await last.ended
  }, 180_000)
})

describe('two processes', () => {
  const types = Array.from({ length: 40 }, (_, n) => `type_${n}`)

  it('send each opening and each closing once between them', async () => {
    const world = await prepare('postgres')
    const both = await Promise.all([world.startProcess(), world.startProcess()])
    for (let at = 0; at < 10; at += 1) {
      if (at < 5) await world.die(...types.slice(at * 4, at * 4 + 4))
      if (at === 5) await world.revive()
      await Promise.all(both.map((child) => check(child, start + at * 4 * minute)))
    }
    const sent = await world.sent()
    expect(sent).toHaveLength(40)
    expect(new Set(sent).size).toBe(40)
  }, 120_000)

  it('send each at least once while they are killed in turn', async () => {
    const world = await prepare('postgres')
    const random = seededRandom(11)
    const processes = await Promise.all([world.startProcess(), world.startProcess()])
    let deaths = 0
    for (let at = 0; at < 24; at += 1) {
      if (at < 10) await world.die(...types.slice(at * 4, at * 4 + 4))
      if (at === 12) await world.revive()
      const time = start + at * 4 * minute
      const victim = at % 2
      const [dying, living] = [processes[victim], processes[1 - victim]]
      if (!dying || !living) throw new Error('There are two.')
      dying.send(`${time} ${random.pick(['updated', 'leased', 'sent'])}`)
      const answered = dying.nextLine().catch(() => undefined)
      // Otherwise the other one might be faster, and leave nothing to send.
      if (at % 4 < 2) await answered
      await check(living, time)
      if ((await answered) !== undefined) continue
      deaths += 1
      processes[victim] = await world.startProcess()
    }
    const sent = await world.sent()
    // Ids may have gaps.
    const ids = new Set(sent.map((key) => key.split('/')[1]))
    expect(ids.size).toBe(40)
    const both = [...ids].flatMap((id) => [`feed/${id}/open`, `feed/${id}/closed`])
    expect(new Set(sent)).toEqual(new Set(both))
    expect(deaths).toBeGreaterThan(5)
    // A kill repeats at most the notifications that were in progress.
    expect(sent.length).toBeLessThanOrEqual(80 + deaths * 20)
  }, 180_000)
})
