import { openDatabase } from '@feed-receiver/database'
import { createInbox } from '@feed-receiver/inbox'
import { expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../contract/delivery-inbox.ts'
import { makeEvent } from '../../contract/harness.ts'
import { runSql, startPostgres, type StartOptions } from '../../support/postgres.ts'
import { until } from '../../support/until.ts'

const anyOfTwo = `alter system set synchronous_standby_names = 'ANY 1 (a, b)'`
const reload = 'select pg_reload_conf()'

it('ANY 1 (a, b) accepts with one standby down, but not with both, nor after a promotion until reset', async () => {
  const primary = await start()
  const a = await start({ standbyOf: `${primary.url}?application_name=a` })
  const b = await start({ standbyOf: `${primary.url}?application_name=b` })
  const hosts = [primary, a].map(({ url }) => new URL(url).host).join(',')
  const database = openDatabase(
    `postgres://postgres@${hosts}/postgres?target_session_attrs=read-write`,
    { queryTimeoutMs: 1_500 },
  )
  onTestFinished(() => database.close())
  const inbox = createInbox({ database, onError: () => {} })
  onTestFinished(() => inbox.stop())
  await inbox.start()
  await change(primary.url, anyOfTwo)
  const quorum = `select from pg_stat_replication where sync_state = 'quorum'`
  await until('both count', async () => (await database.query(quorum)).rowCount === 2)

  expect(await accept()).toBe('stored')
  await b.stop()
  expect(await accept()).toBe('stored')
  a.freeze()
  const waiting = deliveryOf(makeEvent())
  expect(await accept(waiting)).toBe('unavailable')
  // The first attempt is committed only on the primary, and the second is a duplicate there.
  expect(await accept(waiting)).toBe('unavailable')
  a.thaw()
  await until('it is acknowledged', async () => (await accept(waiting)) === 'duplicate')

  primary.kill()
  await runSql(a.url, 'select pg_promote()')
  await change(a.url, anyOfTwo)
  expect(await accept()).toBe('unavailable')
  await change(a.url, 'alter system reset synchronous_standby_names')
  await until('it accepts', async () => (await accept()) === 'stored')
  expect((await inbox.entries.get(waiting.event.id))?.eventId).toBe(waiting.event.id)

  async function accept(delivery = deliveryOf(makeEvent())): Promise<unknown> {
    return await inbox.accept(delivery).catch((error: { code: unknown }) => error.code)
  }
})

async function start(options: StartOptions = {}) {
  const server = await startPostgres({ isDurable: true, ...options })
  onTestFinished(() => server.stop())
  return server
}

async function change(url: string, setting: string): Promise<void> {
  await runSql(url, setting)
  await runSql(url, reload)
}
