import { Pool, type PoolClient } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startPostgres, type PostgresServer } from '../../../../test/support/postgres.ts'
import { until } from '../../../../test/support/until.ts'
import { openDatabase, type Database } from '../index.ts'

/** The error listeners of a connection when it returned to the pool. */
interface Released {
  isLost: boolean
  listeners: number
}

describe('connections of a given pool', () => {
  const released: Released[] = []
  let server: PostgresServer
  let pool: Pool
  let database: Database

  beforeAll(async () => {
    server = await startPostgres()
    pool = new Pool({ connectionString: server.url, max: 2, idleTimeoutMillis: 0 })
    pool.on('release', (error: unknown, client: PoolClient) => {
      released.push({ isLost: Boolean(error), listeners: client.listenerCount('error') })
    })
    database = openDatabase(pool, { connectionTimeoutMs: 2_000, queryTimeoutMs: 5_000 })
    await database.open()
  })
  beforeEach(() => void released.splice(0))
  afterAll(async () => {
    await database.close()
    await pool.end()
    await server.stop()
  })

  // The pool itself has a listener on each idle connection.
  const ownOfThePool = 1

  it('return without our listeners, however often they are used', async () => {
    for (let n = 0; n < 20; n += 1) await database.query('select 1')
    for (let n = 0; n < 20; n += 1) await database.tx((tx) => tx.query('select 1'))
    await expect(database.query('select 1 / 0')).rejects.toMatchObject({ code: '22012' })
    expect(released).toEqual(
      Array.from({ length: 41 }, () => ({ isLost: false, listeners: ownOfThePool })),
    )
  })

  it('keep none of our listeners when they are lost', async () => {
    const losses = 5
    for (let n = 0; n < losses; n += 1) {
      const lost = database.tx((tx) => tx.query('select pg_terminate_backend(pg_backend_pid())'))
      await expect(lost).rejects.toMatchObject({ code: 'unavailable' })
    }
    expect(released).toEqual(
      Array.from({ length: losses }, () => ({ isLost: true, listeners: ownOfThePool })),
    )
    expect(pool.listenerCount('error')).toBe(1)
    await database.query('select 1')
    expect(released.at(-1)).toEqual({ isLost: false, listeners: ownOfThePool })
  })

  it('keep none of our listeners when they arrive too late for the call', async () => {
    await server.restart()
    await until('the pool has dropped its connections', () => pool.totalCount === 0)
    server.freeze()
    const calls = await Promise.allSettled([database.query('select 1'), database.query('select 1')])
    server.thaw()
    for (const call of calls) expect(call).toMatchObject({ reason: { code: 'unavailable' } })
    await until('both have come', () => released.length === 2)
    expect(released).toEqual(
      Array.from({ length: 2 }, () => ({ isLost: false, listeners: ownOfThePool })),
    )
    expect(pool.idleCount).toBe(2)
    await database.query('select 1')
  })
})
