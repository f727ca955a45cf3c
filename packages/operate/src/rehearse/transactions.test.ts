import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { Kysely, PostgresDialect, sql as kyselySql } from 'kysely'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { createTarget } from '../../../../test/support/databases.ts'
import { createInbox, drizzleTransaction, kyselyTransaction } from '@feed-receiver/inbox'
import type { RunInTransaction } from '@feed-receiver/inbox'
import { rehearse, type RehearseOptions } from './index.ts'

/** Runs a statement through the transaction of the app. */
type Execute<AppTx> = (tx: AppTx, text: string) => Promise<unknown>

function suite<AppTx>(
  name: string,
  open: (pool: Pool) => { transaction: RunInTransaction<AppTx>; execute: Execute<AppTx> },
) {
  describe(`a rehearsal in transactions of ${name}`, () => {
    const drops: (() => Promise<unknown>)[] = []
    const pools: Pool[] = []
    let sources = 0

    beforeAll(async () => {
      for (const table of ['page', 'other']) {
        const { target, drop } = await createTarget('postgres', 'inbox')
        if (typeof target !== 'string') throw new Error('It is a URL.')
        const pool = new Pool({ connectionString: target })
        pools.push(pool)
        drops.push(() => pool.end(), drop)
        await pool.query(`create table ${table} (id integer primary key)`)
      }
    })
    afterAll(async () => {
      for (const drop of drops) await drop()
    })

    async function store(count: number) {
      const [pool] = pools
      if (!pool) throw new Error('It was created before.')
      const source = `source_${(sources += 1)}`
      await using inbox = createInbox({ database: pool, source })
      await inbox.start()
      for (let at = 0; at < count; at += 1) await inbox.accept(deliveryOf(makeEvent()))
      const { transaction, execute } = open(pool)
      return {
        execute,
        run: (handler: (tx: AppTx) => unknown, options: Partial<RehearseOptions<AppTx>> = {}) =>
          rehearse<AppTx>({
            database: pool,
            source,
            transaction,
            handlers: { '*': (_, { tx }) => handler(tx) },
            ...options,
          }),
      }
    }

    const pages = async () => (await pools[0]?.query('select id from page'))?.rows

    it('counts changes, and changes nothing', async () => {
      const { run, execute } = await store(3)
      const report = await run((tx) => execute(tx, 'insert into page values (1), (2)'), {
        concurrency: 1,
      })
      expect(report).toMatchObject({ events: 3, handled: 3 })
      expect(report.types[0]?.rows).toEqual([
        { table: 'public.page', inserted: 6, updated: 0, deleted: 0 },
      ])
      expect(await pages()).toEqual([])
    })

    it('counts a caught failure as thrown', async () => {
      const { run, execute } = await store(1)
      const { types } = await run((tx) => execute(tx, 'select 1 / 0').catch(() => undefined))
      expect(types[0]?.errors[0]?.message).toContain('the handler caught its error')
    })

    it.each(['commit', 'rollback'])('stops if a handler sends a %s', async (statement) => {
      const { run, execute } = await store(2)
      let calls = 0
      const running = run(
        async (tx) => {
          calls += 1
          await execute(tx, 'insert into page values (1)')
          await execute(tx, statement)
        },
        { concurrency: 1 },
      )
      await expect(running).rejects.toMatchObject({ code: 'rehearsal_left' })
      expect(calls).toBe(1)
      expect(await pages()).toEqual([])
    })

    it('releases the transaction of a hanging handler only after it returns', async () => {
      const { run, execute } = await store(4)
      let wake = () => {}
      const woken = new Promise<void>((resolve) => (wake = resolve))
      const ends: Promise<unknown>[] = []
      let calls = 0
      const report = await run(
        (tx) => {
          calls += 1
          if (calls === 2) return undefined
          const end = woken.then(() => execute(tx, `insert into page values (${calls})`))
          ends.push(end)
          return end
        },
        { concurrency: 2, timeoutMs: 1_000 },
      )
      expect(report).toMatchObject({ events: 3, handled: 1, thrown: 2, ended: 'stuck' })
      wake()
      await Promise.all(ends)
      await expect.poll(() => pools[0]?.idleCount).toBe(pools[0]?.totalCount)
      expect(await pages()).toEqual([])
    })

    it('rejects transactions on another database', async () => {
      const { run } = await store(1)
      const [, other] = pools
      if (!other) throw new Error('It was created before.')
      let calls = 0
      const { transaction } = open(other)
      const running = run(() => (calls += 1), { transaction } as object)
      await expect(running).rejects.toMatchObject({ code: 'other_database' })
      expect(calls).toBe(0)
    })

    it('stops if the function keeps a transaction open after its callback threw', async () => {
      const { run } = await store(2)
      const [pool] = pools
      if (!pool) throw new Error('It was created before.')
      const { transaction } = open(pool)
      const swallows: typeof transaction = (work) => transaction(work).catch(() => undefined)
      const running = run(() => undefined, { transaction: swallows } as object)
      await expect(running).rejects.toMatchObject({ code: 'rehearsal_kept' })
    })
  })
}

suite('Drizzle', (pool) =>
  side(drizzleTransaction(drizzle(pool), sql), (tx, text) => tx.execute(sql.raw(text))),
)

suite('Kysely', (pool) =>
  side(kyselyTransaction(new Kysely({ dialect: new PostgresDialect({ pool }) })), (tx, text) =>
    kyselySql.raw(text).execute(tx),
  ),
)

function side<AppTx>(transaction: RunInTransaction<AppTx>, execute: Execute<AppTx>) {
  return { transaction, execute }
}
