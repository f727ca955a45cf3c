import { PgBoss, type ConstructorOptions, type Job } from 'pg-boss'
import { Client, Pool, type ClientConfig } from 'pg'
import { describe, expect, expectTypeOf, inject, test, vi } from 'vitest'
import { createTestDatabase } from '../../../test/support/postgres.ts'
import { describeOnEachWay, embedded, useDatabase } from '../../../test/support/databases.ts'
import { startProxy, type Proxy } from '../../../test/chaos/faults/proxy.ts'
import { until } from '../../../test/support/until.ts'
import { openDatabase, type BossDb, type BossOptions, type PgPool, type Tx } from './index.ts'

vi.setConfig({ testTimeout: 30_000 })

test('matches the types of pg-boss and pg', () => {
  type BossDatabase = NonNullable<ConstructorOptions['db']>
  expectTypeOf<BossDb>().toExtend<BossDatabase>()
  expectTypeOf<Tx>().toExtend<BossDatabase>()
  expectTypeOf<BossOptions & { schema: string }>().toExtend<ConstructorOptions>()
  expectTypeOf<Pool>().toExtend<PgPool>()
})

// First, because it leaves no tables: the next block uses the same database.
describe('pg-boss on the embedded database', () => {
  const database = useDatabase('pglite')

  test('leaves no failed transaction behind after a script that fails', embedded, async () => {
    const options = database().bossOptions()
    await database().query('create temp table seen (id int)')
    const broken = 'begin; insert into seen values (1); select 1 / 0; commit'
    // Sent immediately: the next call must not run in the failed transaction.
    const [failed, after] = await Promise.allSettled([
      options.db.executeSql(broken),
      database().query('insert into seen values (2)'),
    ])
    expect(failed).toMatchObject({ status: 'rejected', reason: { code: '22012' } })
    expect(after.status).toBe('fulfilled')
    expect((await database().query('select id from seen')).rows).toEqual([{ id: 2 }])
  })

  test(
    'answers reads inside tx there, and rejects writes without { db: tx }',
    embedded,
    async () => {
      const { db } = database().bossOptions()
      await database().tx(async (tx) => {
        await tx.query('create temp table asked (id int)')
        expect(await db.executeSql('select count(*)::int as n from asked')).toMatchObject({
          rows: [{ n: 0 }],
        })
        await expect(db.executeSql('delete from boss.job')).rejects.toMatchObject({
          code: 'outside_tx',
        })
      })
    },
  )
})

describeOnEachWay('pg-boss on %s', (kind) => {
  const database = useDatabase(kind)
  const schema = 'boss'

  test('sends jobs in tx, wakes on NOTIFY, works a job, and stops', embedded, async () => {
    const boss = new PgBoss({
      ...database().bossOptions(),
      schema,
      useListenNotify: true,
      schedule: false,
    })
    const warnings: unknown[] = []
    boss.on('error', (error) => warnings.push(error))
    boss.on('warning', (warning) => warnings.push(warning))
    await boss.start()
    await boss.createQueue('work', { notify: true })
    await boss.createQueue('other')

    const worked: Job<{ n: number }>[] = []
    // Polling alone would take 30 seconds, so a faster job was announced by NOTIFY.
    const polling = { pollingIntervalSeconds: 30, notifyPollingIntervalSeconds: 30 }
    await boss.work<{ n: number }>('work', polling, async (jobs) => {
      worked.push(...jobs)
    })

    const { rows } = await database().query('select current_database() as name')
    const name = String(rows[0]?.['name'])
    const failing = database().tx(async (tx) => {
      await boss.insert('other', [{ data: { n: 1 } }], { db: tx })
      throw new Error('on purpose')
    })
    await expect(failing).rejects.toThrow('on purpose')
    expect(await jobsIn('other')).toBe(0)

    await database().tx(async (tx) => {
      await boss.insert('other', [{ data: { n: 2 } }], { db: tx })
      if (kind === 'postgres') expect(await countOutside(name)).toBe(0)
    })
    expect(await jobsIn('other')).toBe(1)

    const sentAt = performance.now()
    await database().tx((tx) => boss.insert('work', [{ data: { n: 3 } }], { db: tx }))
    await until('the job was worked', () => worked.length > 0, { withinMs: 5000 })
    expect(performance.now() - sentAt).toBeLessThan(1000)
    expect(worked[0]?.data).toEqual({ n: 3 })

    await boss.send('work', { n: 4 })
    await until('the sent job was worked', () => worked.length > 1, { withinMs: 5000 })

    await boss.stop({ graceful: true, timeout: 5000 })
    expect(warnings).toEqual([])
  })

  async function jobsIn(queue: string): Promise<unknown> {
    const text = `select count(*) as n from ${schema}.job where name = $1`
    return (await database().query(text, [queue])).rows[0]?.['n']
  }

  // Inside tx the embedded database rejects other calls, so a second connection checks visibility.
  async function countOutside(name: string): Promise<unknown> {
    const url = new URL(inject('postgresUrl'))
    url.pathname = name
    await using other = openDatabase(url.href)
    const text = `select count(*) as n from ${schema}.job where name = 'other'`
    return (await other.query(text)).rows[0]?.['n']
  }
})

describe('pg-boss on PostgreSQL', () => {
  const database = useDatabase('postgres')

  test('leaves no failed transaction to its next statement', async () => {
    const { db } = database().bossOptions()
    await expect(db.executeSql('begin; select 1 / 0; commit')).rejects.toMatchObject({
      code: '22012',
    })
    expect(await db.executeSql('select 1 as one')).toEqual({ rows: [{ one: 1 }] })
  })

  test('gives up waiting calls when it closes', async () => {
    const { db } = database().bossOptions()
    const build = 'begin; select pg_sleep(600); create table never (id int); commit'
    const waiting = Promise.allSettled([db.executeSql(build)])
    const asleep = `select from pg_stat_activity where wait_event = 'PgSleep'`
    await until('it sleeps', async () => (await database().query(asleep)).rowCount > 0)
    await db.close()
    expect(await waiting).toMatchObject([{ reason: { code: 'unavailable' } }])
  })
})

// The check of silent connections takes 16 seconds, in which the other tests run.
describe.concurrent('pg-boss on a PostgreSQL that is lost', () => {
  test.each([
    ['reset', (proxy: Proxy) => proxy.cut()],
    ['silent', (proxy: Proxy) => proxy.silence()],
  ])('listens and queries again after its connections are %s', async (_how, lose) => {
    const { url, drop } = await createTestDatabase({ url: inject('postgresUrl') })
    const direct = openDatabase(url)
    const proxy = await startProxy(() => [Number(new URL(url).port)])
    const through = new URL(url)
    through.port = String(proxy.port)
    const database = openDatabase(through.href)
    const { db } = database.bossOptions()
    const heard: string[] = []
    const reconnected = vi.fn<() => void>()
    await db.listen('news', (payload) => heard.push(payload), reconnected)
    expect(reconnected).toHaveBeenCalledTimes(1)

    expect(lose(proxy)).toBe(1)
    await until('it listens again', () => reconnected.mock.calls.length === 2, { withinMs: 30_000 })
    await direct.query(`select pg_notify('news', 'back')`)
    await until('it hears', () => heard.includes('back'))
    expect(await db.executeSql('select 1 as one')).toEqual({ rows: [{ one: 1 }] })

    await database.close()
    await proxy.close()
    await direct.close()
    await drop()
  })
})

test('listens through listenUrl, and works through the target', async () => {
  const { url, drop } = await createTestDatabase({ url: inject('postgresUrl') })
  const proxy = await startProxy(() => [Number(new URL(url).port)])
  const through = new URL(url)
  through.port = String(proxy.port)
  const database = openDatabase(through.href, { listenUrl: url })
  const { db } = database.bossOptions()
  const heard: string[] = []
  await db.listen('news', (payload) => heard.push(payload), vi.fn<() => void>())
  expect(proxy.cut()).toBe(0)
  await db.executeSql(`select pg_notify('news', 'direct')`)
  await until('it hears', () => heard.includes('direct'))
  expect(proxy.cut()).toBe(1)
  await database.close()
  await proxy.close()
  await drop()
})

test('rejects an invalid listenUrl without quoting it', () => {
  const open = () => openDatabase(inject('postgresUrl'), { listenUrl: 'host=x password=hunter2' })
  expect(open).toThrow(/^The database is a string that is not a PostgreSQL URL\.(?!.*hunter2)/)
})

test('gets host and credentials from a given pool, but not its time limits', async () => {
  const { url, drop } = await createTestDatabase({ url: inject('postgresUrl') })
  const { hostname, port, username, pathname } = new URL(url)
  const configs: ClientConfig[] = []
  class Watched extends Client {
    constructor(config: ClientConfig = {}) {
      super(config)
      configs.push(config)
    }
  }
  const pool = new Pool({
    host: hostname,
    port: Number(port),
    user: username,
    password: 'given-password',
    database: pathname.slice(1),
    query_timeout: 1,
    statement_timeout: 1,
    max: 50,
    Client: Watched,
  })
  const database = openDatabase(pool)
  const boss = new PgBoss({ ...database.bossOptions(), schema: 'boss', schedule: false })
  await boss.start()
  expect(await boss.isInstalled()).toBe(true)
  const { password, application_name, query_timeout, statement_timeout } = configs[0] ?? {}
  expect({ password, application_name, query_timeout, statement_timeout }).toEqual({
    password: 'given-password',
    application_name: 'feed-receiver-boss',
  })
  await boss.stop()
  await database.close()
  await pool.end()
  await drop()
})
