import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { startCluster, type Cluster } from '../faults/cluster.ts'
import { startProxy } from '../faults/proxy.ts'
import { runSql, startPostgres, type PostgresServer } from '../../support/postgres.ts'
import { until } from '../../support/until.ts'
import { openDatabase, type Database, type DatabaseOptions } from '@feed-receiver/database'

const readWrite = '?target_session_attrs=read-write'
const limits = { connectionTimeoutMs: 4_000, queryTimeoutMs: 3_000 }

let cluster: Cluster
let standby: PostgresServer

beforeAll(async () => {
  cluster = await startCluster()
  await runSql(cluster.primary.url, 'create table kept (id text)')
  standby = await cluster.startStandby()
})

afterAll(() => cluster.stop())

test.each(['', '?target_session_attrs=primary', readWrite])(
  'finds the primary behind a standby, for its own pool and that of pg-boss (%j)',
  async (parameters) => {
    const database = open([standby, cluster.primary], { parameters })
    const { db } = database.bossOptions()
    const where = `select inet_server_port() as port`
    const port = portOf(cluster.primary)
    expect(await Promise.all([database.query(where), db.executeSql(where)])).toMatchObject([
      { rows: [{ port }] },
      { rows: [{ port }] },
    ])
    await database.query(`insert into kept values ('found')`)
  },
)

test('reads from a standby with `any`, and for a role that may only read', async () => {
  const where = `select pg_is_in_recovery() as "isStandby"`
  const any = open([standby, cluster.primary], { parameters: '?target_session_attrs=any' })
  expect(await any.query(where)).toMatchObject({ rows: [{ isStandby: true }] })
  const parameters = '?options=-c%20default_transaction_read_only%3Don'
  const reader = open([standby, cluster.primary], { parameters })
  expect(await reader.query(where)).toMatchObject({ rows: [{ isStandby: false }] })
  await expect(reader.query(`insert into kept values ('no')`)).rejects.toThrow('read-only')
})

test('names every host with its error, without a password', async () => {
  const error: unknown = await open([standby], { password: 'hunter2', nobody: true })
    .query('select 1')
    .catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'unavailable' })
  const text = String(error)
  expect(text).toContain(`127.0.0.1:${portOf(standby)}: it is a standby; 127.0.0.1:9: `)
  expect(text).not.toContain('hunter2')
})

test('limits the time for a frozen host, and tries it last from then on', async () => {
  const frozen = await startPostgres()
  onTestFinished(() => frozen.stop())
  const database = open([frozen, cluster.primary])
  frozen.freeze()
  const startedAt = performance.now()
  await database.query('select 1')
  expect(performance.now() - startedAt).toBeLessThan(limits.connectionTimeoutMs * 0.75)
  // Two concurrent statements need a second connection.
  const againAt = performance.now()
  await Promise.all([database.query('select 1'), database.query('select 1')])
  expect(performance.now() - againAt).toBeLessThan(limits.connectionTimeoutMs / 4)
})

test('drops a connection that turns out to be read-only', async () => {
  let port = portOf(standby)
  const proxy = await startProxy(() => [port])
  onTestFinished(() => proxy.close())
  const moved = new URL(standby.url)
  moved.port = String(proxy.port)
  const database = openDatabase(moved.href, limits)
  onTestFinished(() => database.close())
  await Promise.all([database.query('select pg_sleep(0.1)'), database.query('select 1')])
  port = portOf(cluster.primary)
  const insert = () => database.tx((tx) => tx.query(`insert into kept values ('moved')`))
  await expect(insert()).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/accepts only reads.*read-only transaction/),
  })
  // The second connection was also to the standby, so it is not tried.
  await insert()
})

test('switches to a promoted standby, with its listener', async () => {
  const database = open([cluster.primary, standby])
  const { db } = database.bossOptions()
  const heard: string[] = []
  await db.listen('news', (payload) => heard.push(payload), vi.fn<() => void>())
  await Promise.all([database.query('select pg_sleep(0.1)'), database.query('select 1')])

  // Its connections stay open, without a response.
  cluster.primary.freeze()
  const insert = () => database.query(`insert into kept values ('after')`)
  await expect(insert()).rejects.toMatchObject({ code: 'unavailable' })
  await cluster.promote(standby)
  await until('it is a primary', () =>
    runSql(standby.url, 'create table now_primary ()').then(
      () => true,
      () => false,
    ),
  )
  // The frozen host is not tried first.
  const startedAt = performance.now()
  await insert()
  expect(performance.now() - startedAt).toBeLessThan(limits.connectionTimeoutMs * 0.4)
  const tell = () => database.query(`select pg_notify('news', 'promoted')`)
  await until('it hears', async () => (await tell()) && heard.includes('promoted'), {
    withinMs: 30_000,
  })
})

function open(
  servers: PostgresServer[],
  { password = '', nobody = false, parameters = readWrite } = {},
  options: DatabaseOptions = limits,
): Database {
  const places = servers.map((server) => `127.0.0.1:${portOf(server)}`)
  if (nobody) places.push('127.0.0.1:9')
  const url = `postgres://postgres:${password}@${places.join(',')}/postgres`
  const database = openDatabase(url + parameters, options)
  onTestFinished(() => database.close())
  return database
}

function portOf({ url }: PostgresServer): number {
  return Number(new URL(url).port)
}
