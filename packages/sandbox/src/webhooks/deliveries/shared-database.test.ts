import { openDatabase } from '@feed-receiver/database'
import { expect, it, onTestFinished } from 'vitest'
import { createTarget } from '../../../../../test/support/databases.ts'
import {
  countHeldCommits,
  holdCommits,
  letCommitsWait,
} from '../../../../../test/support/hold-commits.ts'
import { openApp } from '../../../test/open-app.ts'
import { startSandbox } from '../../../test/use-sandbox.ts'
import { claimDeliveries } from './claim-deliveries.ts'

it('two sandboxes on one database make each attempt once', async () => {
  const { target, drop } = await createTarget('postgres')
  onTestFinished(drop)
  const app = await openApp()
  const options = { database: target, historyDays: 0 }
  const first = await startSandbox(options)
  const second = await startSandbox(options)
  const { control } = first.sandbox
  const { id, secret } = await control.createDestination({
    accountId: 'acct_sandbox',
    name: 'App',
    url: app.url,
  })
  app.secrets = [secret ?? '']
  await control.testDestination({ id })
  app.answer = () => ({ status: 204 })
  const database = openDatabase(target)
  await database.query(
    `insert into sandbox.delivery (destination_id, event_id, kind, state, body, next_attempt_at)
     select $1, 'evt_' || n, 'live', 'scheduled', json_build_object('id', 'evt_' || n)::text,
       sandbox.clock_time()
     from generate_series(1, 2000) n`,
    [id],
  )
  const delivered = async () => {
    const { rows } = await database.query<{ delivered: number }>(
      `select count(*) as delivered from sandbox.delivery where state = 'delivered' and kind = 'live'`,
    )
    return rows[0]?.delivered
  }
  await expect.poll(delivered, { timeout: 50_000, interval: 200 }).toBe(2000)
  const arrivals = app.arrivals.slice(1)
  const senders = new Set(arrivals.map(({ headers }) => headers['user-agent']))
  expect(senders.size).toBe(2)
  // On a busy machine an answer may come too late, so that another attempt follows.
  const { rows } = await database.query<{ eventId: string; attempts: number }>(
    `select event_id as "eventId", attempts from sandbox.delivery where kind = 'live'`,
  )
  const requests = new Map<string, number>()
  for (const { eventId } of arrivals) requests.set(eventId, (requests.get(eventId) ?? 0) + 1)
  expect(requests.size).toBe(2000)
  expect(rows.filter(({ eventId, attempts }) => (requests.get(eventId) ?? 0) > attempts)).toEqual(
    [],
  )
  await database.close()
  await first.sandbox.stop()
  await second.sandbox.stop()
})

it('two concurrent claims never claim the same delivery', async () => {
  const { target, drop } = await createTarget('postgres')
  onTestFinished(drop)
  const app = await openApp()
  const { sandbox } = await startSandbox({ database: target, historyDays: 0 })
  const { control } = sandbox
  const { id, secret } = await control.createDestination({
    accountId: 'acct_sandbox',
    name: 'App',
    url: app.url,
  })
  app.secrets = [secret ?? '']
  await control.testDestination({ id })
  // From here on only this test claims.
  await sandbox.stop()
  // Longer than the first claim is held, however busy the machine is.
  const database = openDatabase(target, { queryTimeoutMs: 60_000 })
  onTestFinished(() => database.close())
  await database.query(
    `insert into sandbox.delivery (destination_id, event_id, kind, state, body, next_attempt_at)
     values ($1, 'evt_1', 'live', 'scheduled', '{}', sandbox.clock_time())`,
    [id],
  )
  const claim = async () => (await claimDeliveries(database, 10, new Map())).deliveries
  await letCommitsWait(database, ['sandbox.delivery'])
  const release = await holdCommits(database)
  const first = claim()
  await expect.poll(() => countHeldCommits(database)).toBe(1)
  expect(await claim()).toEqual([])
  await release()
  expect(await first).toMatchObject([{ eventId: 'evt_1', attempt: 1 }])
})
