import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase } from '@feed-receiver/database'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { Pool } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { createTarget } from '../../../../test/support/databases.ts'
import { createInbox, drizzleTransaction, type Handlers } from '../index.ts'

const count = 12

it.each([
  ['the pool has fewer than the handlers need', undefined],
  ['the role has fewer than the pool', 6],
])('accepts deliveries and counts no attempt while %s', async (_, limit) => {
  const url = await createDatabase(limit)
  const database = openDatabase(url, {
    ...(limit === undefined && { maxConnections: 3 }),
    connectionTimeoutMs: 400,
  })
  onTestFinished(() => database.close())
  const inbox = createInbox({ database, onError: () => {}, migrate: false })
  onTestFinished(() => inbox.stop())
  const seen = await runShort(inbox, (tx, id) => tx.query('insert into effect values ($1)', [id]))
  expect(seen).toEqual(noAttemptCounted)
})

it('accepts deliveries and counts no attempt while transactions of the app hold its pool', async () => {
  const { pool, database } = await openPool({ max: 4, connectionTimeoutMs: 400 })
  const transaction = drizzleTransaction(drizzle(pool), sql)
  const inbox = createInbox({ database, transaction, onError: () => {}, migrate: false })
  onTestFinished(() => inbox.stop())
  const seen = await runShort(inbox, (tx, id) => tx.execute(sql`insert into effect values (${id})`))
  expect(seen).toEqual(noAttemptCounted)
})

it('runs an effect once, however long it waits for a connection', async () => {
  const { pool, database } = await openPool({ max: 1, connectionTimeoutMs: 200 })
  const inbox = createInbox({ database, onError: () => {}, migrate: false })
  onTestFinished(() => inbox.stop())
  await inbox.start()
  const seen: unknown[] = []
  const page = async () => {
    const taken = await pool.connect()
    setTimeout(() => taken.release(), 1_500)
    return seen.push('page')
  }
  await inbox.work({
    '*': async (_, { effects, attempt }) =>
      void seen.push(await effects.once('page', page), attempt),
  })
  await inbox.accept(deliveryOf(makeEvent()))
  await expect.poll(() => inbox.entries.count({ state: 'done' })).toMatchObject({ count: 1 })
  expect(seen).toEqual(['page', 1, 1])
})

it('runs a handler once, however long its first statement waits for a connection', async () => {
  const { pool, database } = await openPool({ max: 2, connectionTimeoutMs: 200 })
  const inbox = createInbox({ database, onError: () => {}, migrate: false })
  onTestFinished(() => inbox.stop())
  await inbox.start()
  let posts = 0
  let goOn = () => {}
  const going = new Promise<void>((resolve) => (goOn = resolve))
  const post = async () => {
    posts += 1
    await going
  }
  await inbox.work({
    outage_started: async ({ id }, { tx }) => {
      await post()
      await tx.query('insert into effect values ($1)', [id])
    },
    '*': post,
  })
  await inbox.accept(deliveryOf(makeEvent({ type: 'outage_started' })))
  await inbox.accept(deliveryOf(makeEvent()))
  await expect.poll(() => posts).toBe(2)
  const taken = await Promise.all([pool.connect(), pool.connect()])
  goOn()
  // Both would have given up several times.
  await delay(1_500)
  for (const client of taken) client.release()
  await expect.poll(() => inbox.entries.count({ state: 'done' })).toMatchObject({ count: 2 })
  expect(posts).toBe(2)
})

it('keeps the order of events whose transaction does not begin', async () => {
  const { pool, database } = await openPool({})
  const within = drizzleTransaction(drizzle(pool), sql)
  let begun = 0
  const transaction: typeof within = async (run) => {
    begun += 1
    if (begun === 1) throw new Error('no connection')
    await within(run)
  }
  const options = { database, transaction, onError: () => {}, ordered: 'subject' } as const
  const inbox = createInbox({ ...options, migrate: false })
  onTestFinished(() => inbox.stop())
  await inbox.start()
  const base = makeEvent()
  const ids = [makeEvent().id, makeEvent().id]
  for (const id of ids) await inbox.accept(deliveryOf({ ...base, id }))
  const seen: string[] = []
  await inbox.work({ '*': ({ id }) => void seen.push(id) })
  await expect.poll(() => inbox.entries.count({ state: 'done' })).toMatchObject({ count: 2 })
  expect({ seen, begun }).toEqual({ seen: ids, begun: 3 })
})

const noAttemptCounted = {
  failures: [],
  attempts: [1],
  warnings: expect.arrayContaining([expect.stringContaining(`up to ${count} handlers`)]),
}

/** A pool of the app on a new database. */
async function openPool({ max = 10, connectionTimeoutMs = 10_000 }) {
  const connectionString = await createDatabase()
  const pool = new Pool({ connectionString, max, connectionTimeoutMillis: connectionTimeoutMs })
  const database = openDatabase(pool, { connectionTimeoutMs })
  onTestFinished(() => pool.end())
  onTestFinished(() => database.close())
  return { pool, database }
}

/** Lets handlers hold every connection while deliveries arrive, and then finish. */
async function runShort<AppTx>(
  inbox: ReturnType<typeof createInbox<AppTx>>,
  write: (tx: AppTx, id: string) => Promise<unknown>,
) {
  const warnings: string[] = []
  const onWarning = ({ message }: Error) => void warnings.push(message)
  process.on('warning', onWarning)
  onTestFinished(() => void process.off('warning', onWarning))
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  onTestFinished(() => release())
  const attempts: number[] = []
  let holding = 0
  const handlers: Handlers<AppTx> = {
    '*': async ({ id }, { tx, attempt }) => {
      attempts.push(attempt)
      await write(tx, id)
      holding += 1
      await released
    },
  }
  await inbox.start()
  const failures: unknown[] = []
  await inbox.work(handlers, { concurrency: count, onFailed: ({ error }) => failures.push(error) })
  for (let n = 0; n < count; n += 1) await inbox.accept(deliveryOf(makeEvent()))
  await expect.poll(() => holding).toBeGreaterThan(0)
  // The time for a connection ends twice for every handler that waits for one.
  await delay(1_000)
  for (let n = 0; n < count; n += 1) await inbox.accept(deliveryOf(makeEvent()))
  release()
  await expect
    .poll(() => inbox.entries.count({ state: 'done' }))
    .toMatchObject({ count: 2 * count })
  return { failures, attempts: [...new Set(attempts)], warnings }
}

/** A database with an inbox, and the URL of a role with a limit of connections. */
async function createDatabase(limit?: number) {
  const { target, drop } = await createTarget('postgres', 'inbox')
  onTestFinished(drop)
  if (typeof target !== 'string') throw new Error('It is a URL.')
  const owner = openDatabase(target, { maxConnections: 1 })
  onTestFinished(() => owner.close())
  await owner.query('create table effect (event_id text not null)')
  const url = new URL(target)
  if (limit !== undefined) {
    const role = `few_${process.pid}`
    await owner.query(`create role ${role} login password 'few' connection limit ${limit}`)
    for (const schema of ['public', 'feed_inbox']) {
      await owner.query(`grant usage on schema ${schema} to ${role}`)
      await owner.query(`grant all on all tables in schema ${schema} to ${role}`)
      await owner.query(`grant all on all sequences in schema ${schema} to ${role}`)
    }
    onTestFinished(async () => {
      await owner.query(`drop owned by ${role}`)
      await owner.query(`drop role ${role}`)
    })
    url.username = role
    url.password = 'few'
  }
  return url.href
}
