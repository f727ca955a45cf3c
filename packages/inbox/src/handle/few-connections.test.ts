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
  const { url, makeDue } = await createDatabase(limit)
  const database = openDatabase(url, {
    ...(limit === undefined && { maxConnections: 3 }),
    connectionTimeoutMs: 400,
  })
  onTestFinished(() => database.close())
  const inbox = createInbox({ database, onError: () => {}, migrate: false })
  onTestFinished(() => inbox.stop())
  const seen = await runShort(inbox, makeDue, (tx, id) =>
    tx.query('insert into effect values ($1)', [id]),
  )
  expect(seen).toEqual(noAttemptCounted)
})

it('accepts deliveries and counts no attempt while transactions of the app hold its pool', async () => {
  const { url, makeDue } = await createDatabase()
  const pool = new Pool({ connectionString: url, max: 4, connectionTimeoutMillis: 400 })
  const database = openDatabase(pool, { connectionTimeoutMs: 400 })
  onTestFinished(() => pool.end())
  onTestFinished(() => database.close())
  const transaction = drizzleTransaction(drizzle(pool), sql)
  const inbox = createInbox({ database, transaction, onError: () => {}, migrate: false })
  onTestFinished(() => inbox.stop())
  const seen = await runShort(inbox, makeDue, (tx, id) =>
    tx.execute(sql`insert into effect values (${id})`),
  )
  expect(seen).toEqual(noAttemptCounted)
})

const noAttemptCounted = {
  failures: [],
  attempts: [1],
  warnings: expect.arrayContaining([expect.stringContaining(`up to ${count} handlers`)]),
}

/** Lets handlers hold every connection while deliveries arrive, and then finish. */
async function runShort<AppTx>(
  inbox: ReturnType<typeof createInbox<AppTx>>,
  makeDue: () => Promise<unknown>,
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
  // Long enough for every waiting handler to give up once.
  await expect.poll(makeDue).toBeGreaterThan(0)
  for (let n = 0; n < count; n += 1) await inbox.accept(deliveryOf(makeEvent()))
  release()
  await expect
    .poll(async () => {
      await makeDue()
      return (await inbox.entries.count({ state: 'done' })).count
    })
    .toBe(2 * count)
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
  const makeDue = async () => {
    const { rowCount } = await owner.query(
      `update feed_inbox.job set start_after = now()
       where state in ('created', 'retry') and start_after > now()`,
    )
    return rowCount
  }
  return { url: url.href, makeDue }
}
