import type { Database } from '@feed-receiver/database'
import { entryConditions, type EntryFilter } from '../entry/entry-filter.ts'
import { inOrderSql, isBehindSql } from '../entry/sql.ts'
import type { Tables } from '../entry/tables.ts'
import { codeOf, problem } from '../errors.ts'
import { toHandleColumns, type EntryToHandle } from '../handle/attempt.ts'

/** The database of one inbox's events. */
export interface InboxStore {
  database: Database
  tables: Tables
  schema: string
  source: string
}

/** A stored event, with the stored results of its effects, as JSON by key. */
export interface StoredEvent extends EntryToHandle {
  type: string
  outcomes: ReadonlyMap<string, string>
}

/** Small, because each event may have a body of 1 MiB. */
const sliceSize = 50

const columns = `${toHandleColumns}, type`

/** Checks that there is an inbox. Errors: `no_inbox`, `not_migrated`. */
export async function assertInbox({ database, tables, schema }: InboxStore): Promise<void> {
  const probe = `select ${columns}, (select count(*) from ${tables.effect})
    from ${tables.entry} left join ${tables.entryBody} on entry_id = id limit 0`
  try {
    await database.query(probe)
  } catch (error) {
    const code = codeOf(error)
    // Undefined column, undefined table, invalid schema.
    if (!['42703', '42P01', '3F000'].includes(code ?? '')) throw error
    const { rows } = await database.query<{ name: string; isOlder: boolean }>(
      'select current_database() as name, to_regclass($1) is not null as "isOlder"',
      [tables.entry],
    )
    const [{ name, isOlder } = { name: '', isOlder: false }] = rows
    if (isOlder) throw problem('not_migrated', { schema, missing: 'tables of this version' })
    const where = database.kind === 'pglite' ? 'the embedded database' : `the database ${name}`
    throw problem('no_inbox', { where: `the schema ${schema} of ${where}` }, { cause: error })
  }
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
    bounds.push(isBehindSql(tables.entry, 'received_at', '>', `$${values.length + 2}`))
  }
  const ofParts = parts.map(
    (part) => `(
       select * from ${tables.entry}
       where ${[part, ...bounds].join(' and ')} ${inOrderSql} limit ${sliceSize}
     )`,
  )
  const { rows } = await database.query<EntryToHandle & { type: string }>(
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
