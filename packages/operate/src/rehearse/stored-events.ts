import { codeOf } from '@feed-receiver/core/internal'
import { type FeedEvent } from '@feed-receiver/core'
import type { Database } from '@feed-receiver/database'
import type { EntryFilter, EntryState, HandlerContext } from '@feed-receiver/inbox'
import { entryConditions, openStore, type OpenStoreOptions } from '@feed-receiver/inbox/internal'
import type { InboxStore } from '@feed-receiver/inbox/extend'
import { OperateError } from '../errors.ts'

// The order of acceptance. Ids alone are not: within one statement they follow the event ids.
const inOrderSql = 'order by received_at, id'

/** The columns of an entry that a handler needs. */
interface StoredEntry extends Pick<HandlerContext, 'revision' | 'via' | 'change' | 'receivedAt'> {
  id: number
  eventId: string
  type: string
  state: EntryState
  body: Uint8Array | null
  pull: FeedEvent | null
}

/** A stored event, with the stored results of its effects, as JSON by key. */
export interface StoredEvent extends StoredEntry {
  outcomes: ReadonlyMap<string, string>
}

/** Small, because each event may have a body of 1 MiB. */
const sliceSize = 50

const columns = `
  id, event_id as "eventId", type, state, body, pull, revision, via, change,
  received_at as "receivedAt"`

/** The tables of an inbox, which need not run. Errors: `no_inbox`, and those of `openStore`. */
export async function findInbox(options: OpenStoreOptions): Promise<InboxStore> {
  try {
    return await openStore(options)
  } catch (error) {
    if (codeOf(error) !== 'not_migrated') throw error
    const { database, schema } = options
    const { rows } = await database.query<{ name: string; isOlder: boolean }>(
      'select current_database() as name, to_regclass($1) is not null as "isOlder"',
      [`${schema}.entry`],
    )
    const [{ name, isOlder } = { name: '', isOlder: false }] = rows
    if (isOlder) throw error
    const where = database.kind === 'pglite' ? 'the embedded database' : `the database ${name}`
    throw noInbox(`the schema ${schema} of ${where}`, error)
  }
}

export function noInbox(where: string, cause?: unknown): OperateError {
  const message = `There is no inbox in ${where}. Use the database that the app passes to createInbox, and its schema if it sets one.`
  return new OperateError('no_inbox', message, { cause })
}

/**
 * Reads the events that match a filter, in the order of acceptance, one slice at a time. Later
 * events are left out. Errors: `bad_option`.
 */
export async function* readStored(
  context: InboxStore,
  filter: EntryFilter,
): AsyncGenerator<StoredEvent, void> {
  const { database, tables } = context
  const newest = await database.query<{ id: number | null }>(
    `select max(id) as id from ${tables.entry}`,
  )
  const last = newest.rows[0]?.id ?? 0
  let after: number | undefined
  do {
    const slice = await readSlice(context, filter, last, after)
    yield* slice
    after = slice.length < sliceSize ? undefined : slice.at(-1)?.id
  } while (after !== undefined)
}

async function readSlice(
  { database, tables, source }: InboxStore,
  filter: EntryFilter,
  last: number,
  after: number | undefined,
): Promise<StoredEvent[]> {
  const { parts, values } = entryConditions({ source, tables }, filter)
  const bounds = [`id <= $${values.length + 1}`]
  if (after !== undefined) {
    // Two plain values, because PostgreSQL would not look up a row of a subquery in an index.
    const id = `$${values.length + 2}::bigint`
    bounds.push(
      `(received_at, id) > ((select received_at from ${tables.entry} where id = ${id}), ${id})`,
    )
  }
  const ofParts = parts.map(
    (part) => `(
       select * from ${tables.entry}
       where ${[part, ...bounds].join(' and ')} ${inOrderSql} limit ${sliceSize}
     )`,
  )
  const { rows } = await database.query<StoredEntry>(
    `select ${columns} from (${ofParts.join(' union all ')}) entry
     left join ${tables.entryBody} on entry_id = id ${inOrderSql} limit ${sliceSize}`,
    [...values, last, ...(after === undefined ? [] : [after])],
  )
  const outcomes = await readLedger(
    { database, tables },
    rows.map(({ id }) => id),
  )
  return rows.map((row) => ({ ...row, outcomes: outcomes.get(row.id) ?? new Map() }))
}

/** The stored results of the effects of entries. */
async function readLedger(
  { database, tables }: Pick<InboxStore, 'database' | 'tables'>,
  ids: readonly number[],
): Promise<Map<number, Map<string, string>>> {
  const found = new Map<number, Map<string, string>>()
  if (ids.length === 0) return found
  const { rows } = await database.query<{ entryId: number; key: string; outcome: string }>(
    `select entry_id as "entryId", key, outcome from ${tables.effect}
     where entry_id = any($1::bigint[])`,
    [ids],
  )
  for (const { entryId, key, outcome } of rows) {
    found.set(entryId, (found.get(entryId) ?? new Map<string, string>()).set(key, outcome))
  }
  return found
}

/** Whether the server counts the rows that transactions change. */
export async function countsRows(database: Database): Promise<boolean> {
  const { rows } = await database.query<{ isOn: boolean }>(
    `select current_setting('track_counts') = 'on' as "isOn"`,
  )
  return rows[0]?.isOn === true
}
