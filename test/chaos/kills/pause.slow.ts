import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase } from '@feed-receiver/database'
import { createInbox } from '@feed-receiver/inbox'
import { fixture } from '@feed-receiver/sender'
import { expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../contract/delivery-inbox.ts'
import { startProgram, type RunningProgram } from '../../support/start-program.ts'
import { createTarget } from '../../support/databases.ts'

const program = new URL('worker-process.ts', import.meta.url)
const perRound = 60

it('applies pauses and limits while workers are killed and frozen, and handles each event once', async () => {
  const { target, drop } = await createTarget('postgres', 'inbox')
  if (typeof target !== 'string') throw new Error('no URL')
  const url = target
  const database = openDatabase(url)
  const inbox = createInbox({ database })
  await inbox.start()
  await database.query('create table effect (event_id text)')
  await database.query(`create table run (
    id bigint generated always as identity, event_id text, type text,
    started_at timestamptz default clock_timestamp(), ended_at timestamptz)`)
  const start = async () => {
    const child = startProgram(program, [url])
    onTestFinished(() => child.kill('SIGKILL'))
    await child.nextLine()
    return child
  }
  const workers: RunningProgram[] = await Promise.all([start(), start(), start()])
  const pauses: { from: Date; to: Date }[] = []

  for (const round of [0, 1, 2]) {
    for (let n = 0; n < perRound; n += 1) {
      const type = n % 3 === 0 ? 'outage_started' : 'outage_updated'
      await inbox.accept(deliveryOf(fixture(type, { id: `evt_${round}_${n}` })))
    }
    const done = async () => (await inbox.entries.count({ state: 'done' })).count
    await expect.poll(done).toBeGreaterThan(round * perRound + 5)
    const [killed, frozen, ...others] = workers.splice(0)
    // Frozen before the pause, so that it does not know it when it continues.
    frozen?.kill('SIGSTOP')
    killed?.kill('SIGKILL')
    // Without a notification, workers must detect it by polling.
    if (round === 1) await database.query(`insert into feed_inbox.pause values ('feed', '', 'x')`)
    else await inbox.pause({ reason: 'a test' })
    const from = await now()
    workers.push(...others, await start())
    await delay(1_500)
    frozen?.kill('SIGCONT')
    if (frozen) workers.push(frozen)
    await delay(2_000)
    // Now only jobs of the killed worker run.
    await database.query(`update feed_inbox.job set heartbeat_on = now() - interval '1 hour',
      retry_delay = 0, retry_backoff = false where state = 'active'`)
    await delay(500)
    const { count } = await inbox.entries.count({ state: 'received' })
    expect(count).toBeGreaterThan(0)
    pauses.push({ from, to: await now() })
    await inbox.resume()
  }
  const waiting = async () => (await inbox.entries.count({ state: 'received' })).count
  await expect.poll(waiting, { timeout: 60_000, interval: 100 }).toBe(0)

  const effects = await database.query('select event_id from effect')
  expect(new Set(effects.rows.map((row) => JSON.stringify(row))).size).toBe(3 * perRound)
  expect(effects.rows).toHaveLength(3 * perRound)
  for (const { from, to } of pauses) {
    // By claim time: a worker runs the jobs that it claimed before it was frozen when it continues.
    const late = await database.query(
      `select data from feed_inbox.job where name = 'feed'
         and started_on > $1::timestamptz + interval '1 second' and started_on < $2`,
      [from, to],
    )
    expect(late.rows).toEqual([])
  }
  const together = await database.query(`select one.event_id, other.event_id as "other"
    from run one join run other on other.id <> one.id and other.type = one.type
      and other.started_at >= one.started_at and other.started_at < one.ended_at
    where one.type = 'outage_started'`)
  expect(together.rows).toEqual([])
  // The other type shows that workers handled events at once.
  const { rows } = await database.query(`select 1 from run one join run other on other.id <> one.id
    and other.started_at between one.started_at and one.ended_at limit 1`)
  expect(rows).toHaveLength(1)

  for (const worker of workers) {
    worker.kill('SIGKILL')
    await worker.ended
  }
  await inbox.stop()
  await database.close()
  await drop()

  async function now(): Promise<Date> {
    const found = await database.query<{ now: Date }>('select clock_timestamp() as now')
    return found.rows[0]?.now ?? new Date()
  }
}, 120_000)
