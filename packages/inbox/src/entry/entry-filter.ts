import { checkOption, InboxError } from '../errors.ts'
import { containsSql, wordsOf } from './search.ts'
import type { Tables } from './tables.ts'

/** What may have become of an entry. */
export const entryStates = ['received', 'done', 'skipped', 'dead'] as const
export type EntryState = (typeof entryStates)[number]

/**
 * What a filter may ask for: `failing` are the received entries whose last attempt failed and that wait
 * for the next.
 */
export const listedStates = ['received', 'failing', 'done', 'skipped', 'dead'] as const
export type ListedState = (typeof listedStates)[number]

/** Which entries; what is left out does not narrow. */
export interface EntryFilter {
  provider?: string | undefined
  type?: string | undefined
  category?: string | undefined
  /** The key of the subject, in full. */
  subject?: string | undefined
  state?: ListedState | undefined
  /** Received at this time or later. */
  since?: Date | string | undefined
  /** Received before this time. */
  until?: Date | string | undefined
  /**
   * An event id in full, which finds that event alone; or words, in any case, each of which is somewhere
   * in the title, the type or the subject key.
   */
  search?: string | undefined
  /** Whose content has changed that often: 2 finds every event that was corrected since it came. */
  minRevision?: number | undefined
}

/** Whether an entry waits or has ended, in the words of the indexes that have only those. */
export const isOpen = `state = 'received'`
export const hasEnded = `state <> 'received'`

/** Conditions on entries as SQL, and the values of their parameters. */
export interface Conditions {
  /** What is sought are the entries of all parts, which have none in common. */
  parts: string[]
  values: unknown[]
  /** Whether no index serves them, so that a search may have to look at every entry. */
  isScan?: boolean
  /** Whether words are among them. */
  hasWords?: boolean
}

/** Where entries are, and the jobs that say which of them fail. */
export interface EntryPlace {
  source: string
  tables: Pick<Tables, 'job'>
}

/** A filter whose search was found to be the id of an event. */
export interface FoundFilter extends EntryFilter {
  eventId?: string
}

/** Writes a filter as conditions, whose parameters are numbered from 1. */
export function entryConditions(place: EntryPlace, filter: FoundFilter): Conditions {
  const { condition, ...others } = filterCondition(place, filter)
  return { parts: byState(filter).map((part) => `${condition} and ${part}`), ...others }
}

/** The same for entries that have ended, in one part. */
export function endedConditions(place: EntryPlace, filter: FoundFilter): Conditions {
  const { condition, ...others } = filterCondition(place, filter)
  return { parts: [`${condition} and ${hasEnded}`], ...others }
}

function filterCondition({ source, tables }: EntryPlace, filter: FoundFilter) {
  const { provider, type, category, subject, state, since, until, search } = filter
  const { eventId, minRevision = 1 } = filter
  const words = eventId === undefined ? wordsOf(search) : []
  const isRevision = Number.isInteger(minRevision) && minRevision >= 1 && minRevision < 2 ** 31
  checkOption(isRevision, 'minRevision: use a whole number from 1 up.')
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
  // Both, since the index that also serves searches has it in small letters.
  add(subject, 'subject_key = ? and lower(subject_key) = lower(?)')
  if (state === 'failing') conditions.push(isFailingSql(tables))
  else add(state, 'state = ?')
  add(toTime('since', since), 'received_at >= ?')
  add(toTime('until', until), 'received_at < ?')
  add(eventId, 'event_id = ?')
  for (const word of words) add(word, containsSql)
  // In the words of the index that has only what was revised.
  if (minRevision > 1) add(minRevision, 'revision > 1 and revision >= ?')
  // The source, and no more than one condition beside it: there is an index for each.
  const isScan = values.length > 2 || words.length > 0 || state === 'failing'
  return { condition: conditions.join(' and '), values, isScan, hasWords: words.length > 0 }
}

/** The one definition of an entry that fails: in lists, counts and sums. */
export function isFailingSql({ job }: Pick<Tables, 'job'>): string {
  return `${isOpen} and id in (
    select (data ->> 'entryId')::bigint from ${job} where state = 'retry')`
}

// Only entries that have ended are in the indexes by provider, type and category, and PostgreSQL uses
// these where a condition says so.
function byState({ provider, type, category, state }: EntryFilter): string[] {
  if (state !== undefined) return [state === 'received' || state === 'failing' ? isOpen : hasEnded]
  const isPartly = [provider, type, category].some((value) => value !== undefined)
  return isPartly ? [isOpen, hasEnded] : ['true']
}

/** Reads the time that an option gives. Errors: `bad_option`. */
export function toTime(name: string, time: Date | string | undefined): Date | undefined {
  if (time === undefined) return undefined
  const date = new Date(time)
  if (!Number.isNaN(date.getTime())) return date
  throw new InboxError('bad_option', `${name}: this is no time; use ISO 8601 or a Date.`)
}
