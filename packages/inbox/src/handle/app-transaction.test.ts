import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { Kysely, PostgresDialect, sql as kyselySql } from 'kysely'
import { Pool, type PoolClient, type QueryResult } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { createTarget } from '../../../../test/support/databases.ts'
import {
  createInbox,
  drizzleTransaction,
  kyselyTransaction,
  Permanent,
  type Handlers,
  type RunInTransaction,
} from '../index.ts'

/** Writes one row through the transaction of the app. */
type Write<AppTx> = (tx: AppTx, eventId: string) => Promise<unknown>
/** Runs a statement through the transaction of the app. */
type Execute<AppTx> = (tx: AppTx, text: string) => Promise<unknown>

function suite<AppTx>(
  name: string,
  open: (pool: Pool) => {
    transaction: RunInTransaction<AppTx>
    write: Write<AppTx>
    execute: Execute<AppTx>
  },
) {
  describe(`a transaction of ${name}`, () => {
    const drops: (() => Promise<unknown>)[] = []
    let pool: Pool

    beforeAll(async () => {
      const { target, drop } = await createTarget('postgres', 'inbox')
      if (typeof target !== 'string') throw new Error('It is a URL.')
      pool = new Pool({ connectionString: target })
      drops.push(() => pool.end(), drop)
      await pool.query('create table page (event_id text not null)')
    })
    afterAll(async () => {
      for (const drop of drops) await drop()
    })

    it('commits writes of a handler with the end of its entry, or rolls back both', async () => {
      const { transaction, write } = open(pool)
      const inbox = createInbox({ database: pool, transaction })
      await inbox.start()
      const [good, bad, late] = [makeEvent(), makeEvent(), makeEvent()]
      const lateCalls: number[] = []
      await inbox.work({
        '*': async ({ id }, { tx, attempt }) => {
          await write(tx, id)
          if (id === bad.id) throw new Permanent('after its write')
          if (id !== late.id) return
          lateCalls.push(attempt)
          // The first run loses its job to another run while it is in progress.
          if (attempt === 1) {
            await pool.query(
              `update feed_inbox.job set retry_count = retry_count + 1, state = 'retry',
                 start_after = now() where state = 'active'`,
            )
          }
        },
      })
      for (const event of [good, bad, late]) {
        await inbox.accept(deliveryOf(event))
        await expect
          .poll(async () => (await inbox.entries.get(event.id))?.state)
          .toBe(event === bad ? 'dead' : 'done')
      }
      const { rows } = await pool.query('select event_id from page')
      expect(rows).toEqual([{ event_id: good.id }, { event_id: late.id }])
      expect(lateCalls.length).toBeGreaterThan(1)
      await inbox.stop()
    })

    it('stores nothing that a handler writes after it has lost its job', async () => {
      const { transaction, write } = open(pool)
      const stopTimeoutMs = 200
      await using inbox = createInbox({
        database: pool,
        transaction,
        source: 'lost',
        stopTimeoutMs,
      })
      await inbox.start()
      const event = makeEvent()
      await inbox.accept(deliveryOf(event))
      let isRunning = false
      let goOn = () => {}
      const released = new Promise<void>((resolve) => (goOn = resolve))
      let written: Promise<unknown> | undefined
      await inbox.work(
        {
          '*': async ({ id }, { tx }) => {
            isRunning = true
            await released
            written = write(tx, id)
            await written
          },
        },
        { onFailed: () => {} },
      )
      await expect.poll(() => isRunning).toBe(true)
      // It ignores its signal, and writes once its transaction could have been rolled back.
      await inbox.stop()
      await delay(300)
      goOn()
      await expect.poll(() => written !== undefined).toBe(true)
      await written?.catch(() => undefined)
      await expect.poll(() => pool.idleCount === pool.totalCount).toBe(true)
      const { rows } = await pool.query('select from page where event_id = $1', [event.id])
      expect(rows).toEqual([])
    })

    it.each([
      ['commit', 1],
      ['rollback', 0],
      ['commit and chain', 1],
    ])('neither finishes nor retries an entry after a %s of its handler', async (text, kept) => {
      const { transaction, write, execute } = open(pool)
      const source = text.replaceAll(' ', '_')
      await using inbox = createInbox({ database: pool, transaction, source })
      await inbox.start()
      const event = makeEvent()
      await inbox.accept(deliveryOf(event))
      const dead: unknown[] = []
      const drained = await inbox.drain(
        {
          '*': async ({ id }, { tx }) => {
            await write(tx, id)
            await execute(tx, text)
          },
        },
        { onDead: ({ error }) => dead.push(error) },
      )
      expect(drained).toMatchObject({ handled: 0, failed: 1 })
      expect(dead).toEqual([expect.objectContaining({ code: 'transaction_control' })])
      const { rows } = await pool.query('select from page where event_id = $1', [event.id])
      expect(rows).toHaveLength(kept)
    })
  })
}

suite('Drizzle', (pool) =>
  side(
    drizzleTransaction(drizzle(pool), sql),
    (tx, id) => tx.execute(sql`insert into page values (${id})`),
    (tx, text) => tx.execute(sql.raw(text)),
  ),
)

suite('Kysely', (pool) =>
  side(
    kyselyTransaction(new Kysely({ dialect: new PostgresDialect({ pool }) })),
    (tx, id) => kyselySql`insert into page values (${id})`.execute(tx),
    (tx, text) => kyselySql.raw(text).execute(tx),
  ),
)

describe("a transaction of the app's own", () => {
  it.each<[string, (result: QueryResult) => unknown, string]>([
    ['a pair, as TypeORM does', pairOf, '{ rows: [[], number] }'],
    ['a count, as for a statement without rows', ({ rowCount }) => rowCount, '{ rows: number }'],
    ['nothing', () => undefined, '{ rows: undefined }'],
    ['none, whatever the statement returns', () => [], '{ rows: [] } for select 1 as id'],
    ['arrays', ({ rows }) => rows.map(Object.values), '{ rows: [[number]] } for select 1 as id'],
  ])('handles no event while its rows are %s', async (_, rowsOf, given) => {
    const { target, drop } = await createTarget('postgres', 'inbox')
    if (typeof target !== 'string') throw new Error('It is a URL.')
    const pool = new Pool({ connectionString: target })
    onTestFinished(async () => {
      await pool.end()
      await drop()
    })
    const errors: unknown[] = []
    const handled: string[] = []
    const handlers: Handlers<PoolClient> = { '*': ({ id }) => handled.push(id) }
    const event = makeEvent()
    const open = (rowsIn: typeof rowsOf) =>
      createInbox({
        database: pool,
        transaction: transactionIn(pool, rowsIn),
        onError: (error) => errors.push(error),
      })
    await using wrong = open(rowsOf)
    await wrong.start()
    await wrong.accept(deliveryOf(event))
    await wrong.work(handlers)
    await expect.poll(() => errors).not.toHaveLength(0)
    expect(errors[0]).toMatchObject({
      code: 'bad_execute_sql',
      message: expect.stringContaining(given),
    })
    expect(await wrong.entries.get(event.id)).toMatchObject({ state: 'received' })
    await wrong.stop()
    expect(handled).toEqual([])

    await using right = open(({ rows }) => rows)
    await right.start()
    expect(await right.drain(handlers)).toMatchObject({ handled: 1, failed: 0 })
    expect(handled).toEqual([event.id])
  })
})

function pairOf({ command, rows, rowCount }: QueryResult): unknown {
  return command === 'UPDATE' ? [rows, rowCount] : rows
}

function transactionIn(
  pool: Pool,
  rowsOf: (result: QueryResult) => unknown,
): RunInTransaction<PoolClient> {
  return async (run) => {
    const client = await pool.connect()
    try {
      await client.query('begin')
      await run(client, {
        executeSql: async (text, values = []) => ({
          // The compiler would reject it, but the result of an ORM may be typed as any.
          rows: rowsOf(await client.query(text, [...values])) as unknown[],
        }),
      })
      await client.query('commit')
    } catch (error) {
      await client.query('rollback')
      throw error
    } finally {
      client.release()
    }
  }
}

function side<AppTx>(
  transaction: RunInTransaction<AppTx>,
  write: Write<AppTx>,
  execute: Execute<AppTx>,
) {
  return { transaction, write, execute }
}
