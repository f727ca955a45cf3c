import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient, createPoller } from '@feed-receiver/client'
import { createReceiver, toFetch } from '@feed-receiver/core'
import { toNodeHandler } from '@feed-receiver/core/node'
import { openDatabase } from '@feed-receiver/database'
import { createInbox } from '@feed-receiver/inbox'
import { expect, it, onTestFinished } from 'vitest'
import { startSandbox } from '../../../packages/sandbox/test/use-sandbox.ts'
import { feedIds } from '../../integration/feed-ids.ts'
import { startProxy } from '../faults/proxy.ts'
import { createTarget } from '../../support/databases.ts'
import { runSql, startPostgres } from '../../support/postgres.ts'
import { until } from '../../support/until.ts'

const secret = 'feed_whsec_asynchronous_0123456789abcdef'

it('the poller recovers acknowledged events that an asynchronous standby has lost', async () => {
  const ofSandbox = await createTarget('postgres')
  onTestFinished(() => ofSandbox.drop())
  const { sandbox, key } = await startSandbox({
    database: ofSandbox.target,
    historyDays: 2,
    firstCursor: 'replay',
  })
  onTestFinished(() => sandbox.stop())
  const { control } = sandbox

  const primary = await startPostgres({ isDurable: true })
  onTestFinished(() => primary.stop())
  // No bytes remain in the buffers of an idle connection.
  const replication = await startProxy(() => [Number(new URL(primary.url).port)])
  onTestFinished(() => replication.close())
  const standbyOf = `postgres://postgres@127.0.0.1:${replication.port}/postgres`
  const standby = await startPostgres({ isDurable: true, standbyOf })
  onTestFinished(() => standby.stop())

  const hosts = [primary, standby].map(({ url }) => new URL(url).host).join(',')
  const database = openDatabase(
    `postgres://postgres@${hosts}/postgres?target_session_attrs=read-write`,
  )
  onTestFinished(() => database.close())
  const inbox = createInbox({ database, onError: () => {} })
  onTestFinished(() => inbox.stop())
  await inbox.start()
  await database.query('create table effect (event_id text)')
  await inbox.work({
    '*': (event, { tx }) => tx.query('insert into effect values ($1)', [event.id]),
  })
  const answered = new Set<string>()
  const receiver = createReceiver({
    secrets: [secret],
    inbox: {
      ...inbox,
      async accept(delivery) {
        const acceptance = await inbox.accept(delivery)
        answered.add(delivery.event.id)
        return acceptance
      },
    },
  })
  const handle = toNodeHandler(toFetch(receiver))
  const server = createServer((request, response) => {
    void handle(request, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  await control.forwardTo({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    secret,
  })
  const client = createClient({ baseUrl: sandbox.url, apiKey: key })
  const poller = createPoller({ client, inbox, leaseMs: 1_000 })

  await poll()
  await push(5)
  await poll()
  await expect.poll(handled).toEqual(await feedIds(control))
  await until('the standby has all of it', async () => {
    const { rows } = await database.query<{ isLevel: boolean }>(
      'select replay_lsn = pg_current_wal_lsn() as "isLevel" from pg_stat_replication',
    )
    return rows[0]?.isLevel
  })

  // From here on the standby lags, and commits do not wait for it.
  expect(replication.silence()).toBeGreaterThan(0)
  const lost = await push(7)
  await poll()
  await expect.poll(handled).toEqual(await feedIds(control))
  const cursor = await cursorOf()
  primary.kill()
  await runSql(standby.url, 'select pg_promote()')
  await until('the inbox answers', () => kept().then(Boolean, () => false), { withinMs: 60_000 })
  expect(await kept()).not.toEqual(expect.arrayContaining(lost.slice(0, 1)))
  expect((await kept()).length).toBe((await feedIds(control)).length - lost.length)
  expect(await cursorOf()).not.toBe(cursor)

  await push(2)
  await poll()
  expect(await kept()).toEqual(await feedIds(control))
  await expect.poll(handled).toEqual(await feedIds(control))

  /** Lets the service push events, and waits until each is answered with 2xx. */
  async function push(count: number): Promise<string[]> {
    const before = new Set(await feedIds(control))
    for (let left = count; left > 0; left -= 1) await control.composeEvent()
    const pushed = (await feedIds(control)).filter((id) => !before.has(id))
    await until('all are answered', () => pushed.every((id) => answered.has(id)), {
      withinMs: 60_000,
    })
    return pushed
  }

  async function poll(): Promise<void> {
    const isCaughtUp = async () => (await poller.poll()).outcome === 'caught_up'
    await until('the poller has caught up', () => isCaughtUp().catch(() => false), {
      withinMs: 60_000,
    })
  }

  async function kept(): Promise<string[]> {
    return ids(`select event_id as id from feed_inbox.entry where type <> 'destination_test'`)
  }

  async function handled(): Promise<string[]> {
    return ids('select event_id as id from effect')
  }

  async function ids(text: string): Promise<string[]> {
    const { rows } = await database.query<{ id: string }>(text)
    return rows.map(({ id }) => id).toSorted()
  }

  async function cursorOf(): Promise<string | null | undefined> {
    return (await inbox.streams.list())[0]?.cursor
  }
})
