import { EventEmitter, once } from 'node:events'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startProxy } from '../../../../test/chaos/faults/proxy.ts'
import { startPostgres, type PostgresServer } from '../../../../test/support/postgres.ts'
import { until } from '../../../../test/support/until.ts'
import { openDatabase, type Database, type Tx } from '../index.ts'

vi.setConfig({ testTimeout: 30_000 })

const connectionTimeoutMs = 1_500
const queryTimeoutMs = 2_000

describe('the PostgreSQL driver', () => {
  let server: PostgresServer
  let database: Database
  /** Opens the pool of an app. */
  let given: Database
  let pool: Pool
  let observer: Pool

  beforeAll(async () => {
    server = await startPostgres()
    observer = new Pool({ connectionString: server.url, max: 1 })
    observer.on('error', () => undefined)
    database = openDatabase(server.url, { connectionTimeoutMs, queryTimeoutMs, maxConnections: 4 })
    pool = new Pool({ connectionString: server.url, max: 2 })
    given = openDatabase(pool, { connectionTimeoutMs, queryTimeoutMs })
    await database.query('create table kept (id text primary key)')
  })

  afterAll(async () => {
    await given.close()
    await pool.end()
    await database.close()
    await observer.end()
    await server.stop()
  })

  const insert = 'insert into kept values ($1)'

  async function isKept(id: string): Promise<boolean> {
    const { rowCount } = await database.query('select from kept where id = $1', [id])
    return rowCount === 1
  }

  async function works(on = database): Promise<boolean> {
    const { rows } = await on.query('select 1 as one')
    return rows[0]?.['one'] === 1
  }

  const recovers = (on = database) =>
    until('the database answers', () => works(on).catch(() => false))

  async function backends(): Promise<number[]> {
    const { rows } = await observer.query<{ pid: number }>(
      "select pid from pg_stat_activity where application_name = 'feed-receiver'",
    )
    return rows.map(({ pid }) => pid)
  }

  const terminateAll = async () => {
    for (const pid of await backends())
      await observer.query('select pg_terminate_backend($1)', [pid])
  }

  test('rejects every call in time on a frozen server, also through a given pool, and recovers later', async () => {
    await Promise.all([works(given), ...Array.from({ length: 4 }, () => works())])
    const { entered, leave } = await openTransaction('frozen')
    server.freeze()
    const startedAt = performance.now()
    const calls = Array.from({ length: 12 }, (_value, index) =>
      index % 2 === 0 ? works() : database.tx((tx) => tx.query(insert, [`frozen-${index}`])),
    )
    const onGiven = Array.from({ length: 4 }, () => works(given))
    leave()
    const settled = await Promise.allSettled([...calls, ...onGiven, entered])
    const tookMs = performance.now() - startedAt
    server.thaw()
    expect(settled.map(({ status }) => status)).toEqual(settled.map(() => 'rejected'))
    for (const outcome of settled)
      expect(outcome).toMatchObject({ reason: { code: 'unavailable' } })
    // Calls that waited for another call's connection: both limits, one after the other.
    expect(tookMs).toBeLessThan(connectionTimeoutMs + queryTimeoutMs + 1000)
    await recovers()
    await recovers(given)
    expect(await isKept('frozen')).toBe(false)
  })

  test('applies one time limit in total if the server is lost with open connections', async () => {
    const proxy = await startProxy(() => [Number(new URL(server.url).port)])
    const through = new URL(server.url)
    through.port = String(proxy.port)
    const lost = openDatabase(through.href, { connectionTimeoutMs, queryTimeoutMs })
    const ask = () => lost.query('select pg_sleep(0.1)')
    await Promise.all(Array.from({ length: 6 }, ask))
    expect(proxy.silence()).toBe(6)
    await expect(ask()).rejects.toMatchObject({ code: 'unavailable' })
    await ask()
    await lost.close()
    await proxy.close()
  })

  async function openTransaction(id: string): Promise<{ entered: Promise<void>; leave(): void }> {
    const gate = new EventEmitter()
    const left = once(gate, 'leave')
    const inside = once(gate, 'inside')
    const entered = database.tx(async (tx) => {
      await tx.query(insert, [id])
      gate.emit('inside')
      await left
      // A server that freezes later may still commit, and only the client cannot know.
      await tx.query('select 1')
    })
    entered.catch(() => undefined)
    await inside
    return { entered, leave: () => void gate.emit('leave') }
  }

  test('replaces a backend that was terminated while idle', async () => {
    await Promise.all(Array.from({ length: 4 }, () => works()))
    await terminateAll()
    await until('all are gone', async () => (await backends()).length === 0)
    expect(await recovers()).toBe(true)
  })

  test('rejects and rolls back tx if its backend is terminated', async () => {
    const terminated = database.tx(async (tx) => {
      await tx.query(insert, ['terminated'])
      await terminateAll()
      await tx.query('select 1')
    })
    await expect(terminated).rejects.toMatchObject({ code: 'unavailable' })
    await recovers()
    expect(await isKept('terminated')).toBe(false)
  })

  test('rejects if the backend is terminated before COMMIT, even if all errors were caught', async () => {
    const terminated = database.tx(async (tx) => {
      await tx.query(insert, ['uncommitted'])
      await terminateAll()
      // No statement runs on the connection when it ends, so only a listener can detect that.
      await until('all are gone', async () => (await backends()).length === 0)
      await tx.query('select 1').catch(() => undefined)
    })
    await expect(terminated).rejects.toMatchObject({ code: 'unavailable' })
    await recovers()
    expect(await isKept('uncommitted')).toBe(false)
  })

  test('times out statements that wait for a lock, and cancels them on the server', async () => {
    const locker = await observer.connect()
    await locker.query('begin; lock table kept')
    const before = await database.tx(backendOf)
    const inTx = database.tx((tx) => tx.query(insert, ['waiting']))
    const calls = Array.from({ length: 3 }, () => database.query(insert, ['given up']))
    const [waited, ...outcomes] = await Promise.allSettled([inTx, ...calls])
    expect(waited).toMatchObject({ reason: { code: '57014' } })
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ reason: { code: 'unavailable' } })
    await until('no statement waits', async () => {
      const { rows } = await locker.query<{ waiting: number }>(
        'select count(*)::integer as waiting from pg_locks where not granted',
      )
      return rows[0]?.waiting === 0
    })
    // The statement in tx did not cost the connection.
    expect(await database.tx(backendOf)).toEqual(before)
    await locker.query('rollback')
    locker.release()
    await recovers()
    expect(await isKept('given up')).toBe(false)
  })

  test('rejects in time if all connections are in use', async () => {
    const open = await Promise.all(['a', 'b', 'c', 'd'].map((id) => openTransaction(`full-${id}`)))
    await expect(works()).rejects.toMatchObject({ code: 'unavailable' })
    for (const { leave } of open) leave()
    await Promise.all(open.map(({ entered }) => entered))
    await recovers()
  })

  test.each(['fast', 'immediate'] as const)(
    'keeps stored data after a restart (%s)',
    async (mode) => {
      await database.query(insert, [`before-${mode}`])
      const { pid } = server
      await server.restart(mode)
      expect(server.pid).not.toBe(pid)
      await recovers()
      await recovers(given)
      expect(await isKept(`before-${mode}`)).toBe(true)
    },
  )
})

async function backendOf(tx: Tx): Promise<unknown> {
  return (await tx.query('select pg_backend_pid() as pid')).rows
}
