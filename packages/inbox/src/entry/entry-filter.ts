import type { Queryable } from '@feed-receiver/database'
import { checkOption, InboxError } from '../errors.ts'
import { errorSql, latestJobSql } from './error-sql.ts'
import type { Tables } from './tables.ts'

/**
 * `received` until a handler ends it, also while it fails and waits for a retry; then `done`,
 * `skipped` if no handler has its type, or `dead` if it failed for good.
 */
export const entryStates = ['received', 'done', 'skipped', 'dead'] as const
export type EntryState = (typeof entryStates)[number]

/**
 * The states to filter by. `failing` are the received entries whose last attempt failed and that
 * wait for a retry.
 */
export const listedStates = ['received', 'failing', 'done', 'skipped', 'dead'] as const
export type ListedState = (typeof listedStates)[number]

/** Which entries to select. An omitted member does not narrow the selection. */
export interface EntryFilter {
  /** The exact provider, as events name it in `data.provider`. */
  provider?: string | undefined
  /** The exact type of the event, such as `outage_started`. */
  type?: string | undefined
  /** The exact category, as events name it in `data.category`. */
  category?: string | undefined
  /** The whole key of the subject; `search` also finds a part of it. */
  subject?: string | undefined
  /** The state of the entry. `failing` selects a part of `received`. */
  state?: ListedState | undefined
  /** Received at this time or later: a `Date`, or ISO 8601. */
  since?: Date | string | undefined
  /** Received before this time. */
  until?: Date | string | undefined
  /**
   * A full event id, which selects that event alone. Or words, in any case: each must occur in the
   * title, the type or the subject key.
   */
  search?: string | undefined
  /** The minimum revision: 2 selects every event whose content changed since it was received. */
  minRevision?: number | undefined
  /**
   * Dead and failing entries with this last error, named as `entries.errors` lists it. `state`
   * narrows them to either.
   */
  error?: string | undefined
}

/** Whether an entry is pending or has ended, worded like the partial indexes. */
export const isPendingSql = `state = 'received'`
export const hasEndedSql = `state <> 'received'`

/** Conditions on entries as SQL, and the values of their parameters. */
export interface Conditions {
  /** The result is the union of the parts, which do not overlap. */
  parts: string[]
  values: unknown[]
  /** Whether no index serves the conditions, so that a search may scan every entry. */
  isScan?: boolean
  /** Whether the conditions contain words. */
  hasWords?: boolean
}

/** Where the entries are read, and the jobs that tell which of them fail. */
interface SearchedContext {
  database: Queryable
  source: string
  tables: Pick<Tables, 'entry' | 'job'>
}

/**
 * Writes a filter as conditions, with parameters numbered from 1: in one part for entries that have
 * ended, if only those matter.
 */
export async function findConditions(
  context: SearchedContext,
  filter: EntryFilter,
  { onlyEnded = false } = {},
): Promise<Conditions> {
  const eventId = await findEventId(context, filter)
  const { condition, ...others } = filterCondition(context, filter, eventId)
  const parts = onlyEnded ? [hasEndedSql] : byState(context, filter)
  return { parts: parts.map((part) => `${condition} and ${part}`), ...others }
}

/**
 * The searched text, if it is the id of an event, by the index of ids. For a list, newest first,
 * PostgreSQL would read every newer entry before it.
 */
async function findEventId(
  { database, tables, source }: SearchedContext,
  { search }: EntryFilter,
): Promise<string | undefined> {
  const eventId = search?.trim()
  if (!eventId) return undefined
  const { rowCount } = await database.query(
    `select from ${tables.entry} where source = $1 and event_id = $2`,
    [source, eventId],
  )
  return rowCount === 0 ? undefined : eventId
}

/** SQL for the entries that meet conditions, in an order and up to a limit, as a subquery. */
export function matchingSql(
  { entry }: Pick<Tables, 'entry'>,
  parts: readonly string[],
  orderAndLimit: string,
): string {
  const ofParts = parts.map((part) => `(select * from ${entry} where ${part} ${orderAndLimit})`)
  return `(${ofParts.join(' union all ')})`
}

function filterCondition(
  { source, tables }: SearchedContext,
  filter: EntryFilter,
  eventId: string | undefined,
) {
  const { provider, type, category, subject, state, since, until, search } = filter
  const { minRevision = 1, error } = filter
  const words = eventId === undefined ? wordsOf(search) : []
  const isRevision = Number.isInteger(minRevision) && minRevision >= 1 && minRevision < 2 ** 31
  checkOption(isRevision, 'minRevision: use a whole number of 1 or more.')
  checkOption(
    error === undefined || state === undefined || state === 'dead' || state === 'failing',
    'error: only dead and failing entries have one. Use it with one of these states, or without a state.',
  )
  const values: unknown[] = [source]
  const conditions = ['source = $1']
  const add = (value: unknown, condition: string) => {
    if (value === undefined) return
    values.push(value)
    conditions.push(condition.replaceAll('?', `$${values.length}`))
  }
  add(provider, 'provider = ?')
  add(type, 'type = ?')
  add(category, 'category = ?')
  // Both, because the index that also serves searches has the lower-case key.
  add(subject, 'subject_key = ? and lower(subject_key) = lower(?)')
  if (state === 'failing') conditions.push(isFailingSql(tables))
  else add(state, 'state = ?')
  add(toTime('since', since), 'received_at >= ?')
  add(toTime('until', until), 'received_at < ?')
  add(eventId, 'event_id = ?')
  for (const word of words) add(word, containsSql)
  // The selected column has another name, because a job has an id, too.
  add(
    error,
    `(select ${errorSql('job.output')} from (select id as entry_id) entry_of
      left join lateral ${latestJobSql(tables, 'entry_id')} job on true) = ?`,
  )
  // Worded like the partial index of revised entries.
  if (minRevision > 1) add(minRevision, 'revision > 1 and revision >= ?')
  // There is an index for the source with at most one more condition.
  const isScan = values.length > 2 || words.length > 0 || state === 'failing'
  return { condition: conditions.join(' and '), values, isScan, hasWords: words.length > 0 }
}

/**
 * The only definition of a failing entry: its last attempt failed, and it waits for a retry. For
 * lists, counts and sums.
 */
export function isFailingSql({ job }: Pick<Tables, 'job'>): string {
  return `${isPendingSql} and id in (
    select (data ->> 'entryId')::bigint from ${job} where state = 'retry')`
}

/** The same of an entry that was read with its latest job. */
export function isFailing(
  { state }: { state: EntryState },
  job: { state: string } | null,
): boolean {
  return state === 'received' && job?.state === 'retrying'
}

// The indexes by provider, type, category and subject hold only ended entries. PostgreSQL uses them if
// a condition says so.
function byState(
  { tables }: SearchedContext,
  { provider, type, category, subject, state, error }: EntryFilter,
): string[] {
  if (state === undefined && error !== undefined) return [`state = 'dead'`, isFailingSql(tables)]
  if (state !== undefined)
    return [state === 'received' || state === 'failing' ? isPendingSql : hasEndedSql]
  const isPartly = [provider, type, category, subject].some((value) => value !== undefined)
  return isPartly ? [isPendingSql, hasEndedSql] : ['true']
}

/** Reads the time of an option. Errors: `bad_option`. */
export function toTime(name: string, time: Date | string | undefined): Date | undefined {
  if (time === undefined) return undefined
  const date = new Date(time)
  if (!Number.isNaN(date.getTime())) return date
  throw new InboxError('bad_option', `${name}: the time is invalid. Use ISO 8601 or a Date.`)
}

/** More words than anybody types. Each is searched for separately. */
const maxWords = 10

/** The words of a search, as LIKE patterns. */
function wordsOf(search = ''): string[] {
  const words = search.split(/\s+/).filter((word) => word !== '')
  return words.slice(0, maxWords).map((word) => `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`)
}

/**
 * Whether an entry contains a word. The question marks are its pattern. A type compares by bytes,
 * and `lower` would change only its ASCII letters.
 */
const containsSql = `(lower(title) like lower(?)
  or lower(type collate "default") like lower(?)
  or lower(subject_key) like lower(?))`
