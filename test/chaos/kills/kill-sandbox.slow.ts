import { openDatabase } from '@feed-receiver/database'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startProgram } from '../../support/start-program.ts'
import { createTarget, type DatabaseKind, type TestTarget } from '../../support/databases.ts'
import { until } from '../../support/until.ts'
import { openApp } from '../../../packages/sandbox/test/open-app.ts'

const program = new URL('../../../packages/sandbox/test/sandbox-process.ts', import.meta.url)
const session = 'session_of_the_kill_test_0123456789'

describe.each([
  // An interrupted attempt is retried when its lease of 20 seconds expires.
  ['postgres', 10_000],
  // At once, because no other process can have the embedded database open.
  ['pglite', 2_000],
] satisfies [DatabaseKind, number][])('a sandbox on %s killed with kill -9', (kind, pending) => {
  it('loses no delivery during attempts, twice, with a thousand or more pending [R159]', async () => {
    const { target, app, first, id } = await startConnected(kind)
    await first.stop()
    await insertPending(target, id, pending)

    const reached = new Set<string>()
    app.answer = async ({ eventId }) => {
      reached.add(eventId)
      // Enough time to be killed.
      await new Promise((resolve) => setTimeout(resolve, 3))
      return { status: 204 }
    }
    for (const share of [0.2, 0.5]) {
      const running = await startSandbox(target)
      await until('enough arrived', () => reached.size > pending * share, { withinMs: 120_000 })
      expect(await running.kill()).toBe('SIGKILL')
    }
    const last = await startSandbox(target)
    const states = async () => await countStates(last)
    await expect.poll(states, { timeout: 180_000, interval: 1000 }).toEqual({ delivered: pending })
    expect(reached.size).toBe(pending)
    const interrupted = await last.interrupted(id)
    expect(interrupted).toBeGreaterThan(0)
    // Only interrupted attempts may have arrived twice.
    expect(app.arrivals.length - 1 - pending).toBeLessThanOrEqual(interrupted)
    await last.stop()
  }, 400_000)

  it('continues with the next attempt after a kill between two [R159]', async () => {
    const { target, app, first } = await startConnected(kind)
    app.answer = () => ({ status: 503 })
    const event = await first.act('compose-event', {})
    const delivery = async (running: RunningSandbox) =>
      (await running.read(`deliveries?eventId=${event.id}`))[0]
    await expect
      .poll(async () => await delivery(first))
      .toMatchObject({ state: 'scheduled', attempts: 1 })
    await first.kill()

    const second = await startSandbox(target)
    app.answer = null
    await second.act('move-clock', { to: 'advance', byMs: 30_000 })
    await expect
      .poll(async () => await delivery(second))
      .toMatchObject({ state: 'delivered', attempts: 2 })
    expect(app.inbox.entries.has(event.id)).toBe(true)
    await second.stop()
  }, 60_000)
})

/** A sandbox in its own process, with an active destination for an app. */
async function startConnected(kind: DatabaseKind) {
  const target = await createTarget(kind)
  onTestFinished(target.drop)
  const app = await openApp()
  const first = await startSandbox(target)
  const { id, secret } = await first.act('create-destination', {
    accountId: 'acct_sandbox',
    name: 'App',
    url: app.url,
  })
  app.secrets = [secret]
  await first.act('test-destination', { id })
  return { target, app, first, id }
}

interface RunningSandbox {
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into it as they like
  act(name: string, input: unknown): Promise<any>
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into it as they like
  read(path: string): Promise<any>
  /** How many attempts were interrupted. */
  interrupted(destinationId: string): Promise<number>
  kill(): Promise<number | string>
  stop(): Promise<void>
}

async function startSandbox({ target }: TestTarget): Promise<RunningSandbox> {
  const child = startProgram(program, [
    typeof target === 'string' ? target : target.folder,
    session,
  ])
  onTestFinished(() => child.kill('SIGKILL'))
  const url = `${await child.nextLine()}/_sandbox/api/`
  const headers = { authorization: `Bearer ${session}`, 'content-type': 'application/json' }
  const dataOf = async (response: Response) => {
    // oxlint-disable-next-line typescript/no-explicit-any -- tests look into it as they like
    const { data }: any = await response.json()
    return data
  }
  const read = async (path: string) => await dataOf(await fetch(url + path, { headers }))
  return {
    read,
    async act(name, input) {
      const body = JSON.stringify(input)
      return await dataOf(await fetch(url + name, { method: 'POST', headers, body }))
    },
    async interrupted(destinationId) {
      let count = 0
      for (let before = ''; ;) {
        const page = await read(`deliveries?limit=1000&destinationId=${destinationId}${before}`)
        for (const { attempts } of page) count += attempts - 1
        if (page.length < 1000) return count
        before = `&before=${page.at(-1).id}`
      }
    },
    async kill() {
      child.kill('SIGKILL')
      return await child.ended
    },
    async stop() {
      child.kill('SIGKILL')
      await child.ended
    },
  }
}

/** The number of live deliveries in each state. */
async function countStates(sandbox: RunningSandbox): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (let before = ''; ;) {
    const page = await sandbox.read(`deliveries?limit=1000${before}`)
    for (const { kind, state } of page) {
      if (kind === 'live') counts[state] = (counts[state] ?? 0) + 1
    }
    if (page.length < 1000) return counts
    before = `&before=${page.at(-1).id}`
  }
}

async function insertPending(
  { target }: TestTarget,
  destinationId: string,
  pending: number,
): Promise<void> {
  const database = openDatabase(target)
  await database.query(
    `insert into sandbox.delivery (destination_id, event_id, kind, state, body, next_attempt_at)
     select $1, 'evt_' || n, 'live', 'scheduled',
       json_build_object('id', 'evt_' || n, 'type', 'release_note')::text, sandbox.clock_time()
     from generate_series(1, $2::integer) n`,
    [destinationId, pending],
  )
  await database.close()
}
