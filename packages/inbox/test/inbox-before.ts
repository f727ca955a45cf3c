import type { Database } from '@feed-receiver/database'
import { onTestFinished } from 'vitest'
import { deliveryOf } from '../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../test/contract/harness.ts'
import { storeInOneStatement } from '../src/accept/store-entries.ts'
import { tablesIn } from '../src/entry/tables.ts'
import { migrations } from '../src/migrations/index.ts'
import { openQueue } from '../src/queue/open-queue.ts'
import type { Place } from '../src/queue/queue.ts'

const before = Object.fromEntries(
  Object.entries(migrations).filter(([name]) => name < '0013-one-schema.sql'),
)

/** All migrations before the one that moves the queue into the schema of the inbox. */
export const earlier = before

export const states = ['created', 'retry', 'active', 'completed', 'cancelled', 'failed']

/** Creates an inbox of an earlier version, with the queue in a separate schema. */
export async function openBefore(
  database: Database,
  schema: string,
  source: string,
  isOrdered = false,
): Promise<Place> {
  await database.migrate(earlier, { schema })
  await database.query(`create schema if not exists ${schema}_queue`)
  const queue = await openQueue({
    name: isOrdered ? `${source}_ordered` : source,
    isOrdered,
    schema: `${schema}_queue`,
    boss: database.bossOptions(),
    migrate: true,
    onError: () => {},
  })
  onTestFinished(() => queue.stop())
  const tables = { ...tablesIn(schema), job: `${schema}_queue.job` }
  return { database, tables, source, queue }
}

/** Leaves a job in each state, and two dead letters. Returns the event ids by state. */
export async function leaveJobs(database: Database, place: Place): Promise<Record<string, string>> {
  const deliveries = [...states, 'dead', 'dead'].map(() => {
    const { data } = makeEvent()
    const subject = { type: 'model', key: `model-${Math.random()}` }
    return deliveryOf(makeEvent({ data: { ...data, subject } }))
  })
  const entries = await storeInOneStatement(place)(database, deliveries)
  for (const [n, entry] of entries.entries()) {
    const state = states[n]
    const change = state
      ? `state = '${state}'`
      : `name = '${place.queue.deadLetter}', policy = null`
    await database.query(`update ${place.tables.job} set ${change} where data ->> 'entryId' = $1`, [
      String(entry.id),
    ])
  }
  return Object.fromEntries(entries.map(({ eventId }, n) => [states[n] ?? 'dead', eventId]))
}
