import type { FeedEvent } from '@feed-receiver/core'
import { codeOf } from '@feed-receiver/core/internal'
import type { Database } from '@feed-receiver/database'
import type { EntryFilter, EntryState, HandlerContext } from '@feed-receiver/inbox'
import type { InboxStore } from '@feed-receiver/inbox/extend'
import { findConditions, inOrderSql, isoTime, type Conditions } from '@feed-receiver/inbox/internal'
import { matchingSql, openStore, type OpenStoreOptions } from '@feed-receiver/inbox/internal'
import { OperateError } from '../errors.ts'

/** The columns of an entry that a handler needs. */
interface StoredEntry extends Pick<HandlerContext, 'revision' | 'via' | 'change' | 'receivedAt'> {
  id: number
  eventId: string
  type: string
  state: EntryState
  body: Uint8Array | null
  pull: FeedEvent | null
  /** `receivedAt` in all its digits. */
  at: string
}

/** A stored event, with the stored results of its effects by key. */
export interface StoredEvent extends StoredEntry {
  results: Map<string, unknown>
}

/**
 * Small, because each event may have a body and a pulled content of 1 MiB each. The process that has
 * an embedded database open sends a slice as one message.
 */
const sliceSizes = { postgres: 50, pglite: 10 }

const columns = `
  id, event_id as "eventId", type, state, body, pull, revision, via, change,
  received_at as "receivedAt", ${isoTime('received_at', 'US')} as at`

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
  // Once, because the searched id may be stored meanwhile.
  const conditions = await findConditions(context, filter)
  for (let behind = { at: '-infinity', id: 0 }; ;) {
    const slice: StoredEvent[] = await readSlice(context, conditions, last, behind)
    yield* slice
    const end = slice.at(-1)
    if (!end || slice.length < sliceSizes[database.kind]) return
    behind = end
  }
}

async function readSlice(
  context: InboxStore,
  { parts, values }: Conditions,
  last: number,
  behind: Pick<StoredEntry, 'at' | 'id'>,
): Promise<StoredEvent[]> {
  const { database, tables } = context
  const given = values.length
  // Two values, because retention may delete the last entry of a slice meanwhile.
  const isNext = `id <= $${given + 1}
    and (received_at, id) > ($${given + 2}::timestamptz, $${given + 3}::bigint)`
  const order = `${inOrderSql} limit ${sliceSizes[database.kind]}`
  const next = parts.map((part) => `${part} and ${isNext}`)
  const { rows } = await database.query<StoredEntry>(
    `select ${columns} from ${matchingSql(tables, next, order)} entry
     left join ${tables.entryBody} on entry_id = id ${order}`,
    [...values, last, behind.at, behind.id],
  )
  const ids = rows.map(({ id }) => id)
  const results = await readResults(context, ids)
  return rows.map((row) => ({ ...row, results: results.get(row.id) ?? new Map<string, unknown>() }))
}

/** The stored results of the effects of entries by key, in the order of the effects. */
export async function readResults(
  { database, tables }: InboxStore,
  ids: readonly number[],
): Promise<Map<number, Map<string, unknown>>> {
  const { rows } = await database.query<{ entryId: number; key: string; outcome: string }>(
    `select entry_id as "entryId", key, outcome from ${tables.effect}
     where entry_id = any($1::bigint[]) order by entry_id, happened_at, key`,
    [ids],
  )
  const found = new Map(ids.map((id) => [id, new Map<string, unknown>()]))
  for (const { entryId, key, outcome } of rows) {
    const { result }: { result?: unknown } = JSON.parse(outcome)
    found.get(entryId)?.set(key, result)
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
