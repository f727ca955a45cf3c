import { checkOption, InboxError } from '../errors.ts'

/** What may have become of an entry. */
export const entryStates = ['received', 'done', 'skipped', 'dead'] as const
export type EntryState = (typeof entryStates)[number]

/** Which entries; what is left out does not narrow. */
export interface EntryFilter {
  provider?: string | undefined
  type?: string | undefined
  category?: string | undefined
  /** The key of the subject, in full. */
  subject?: string | undefined
  state?: EntryState | undefined
  /** Received at this time or later. */
  since?: Date | string | undefined
  /** Received before this time. */
  until?: Date | string | undefined
  /** An event id in full, or the first letters of a title or subject key, in any case. */
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
}

/** Writes a filter as conditions, whose parameters are numbered from 1. */
export function entryConditions(source: string, filter: EntryFilter): Conditions {
  const { condition, values } = filterCondition(source, filter)
  return { parts: byState(filter).map((part) => `${condition} and ${part}`), values }
}

/** The same for entries that have ended, in one part. */
export function endedConditions(source: string, filter: EntryFilter): Conditions {
  const { condition, values } = filterCondition(source, filter)
  return { parts: [`${condition} and ${hasEnded}`], values }
}

function filterCondition(source: string, filter: EntryFilter) {
  const { provider, type, category, subject, state, since, until, search } = filter
  const { minRevision = 1 } = filter
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
  add(state, 'state = ?')
  add(toTime('since', since), 'received_at >= ?')
  add(toTime('until', until), 'received_at < ?')
  if (search) {
    values.push(search)
    add(
      `${search.replaceAll(/[\\%_]/g, '\\$&')}%`,
      `(event_id = $${values.length} or lower(title) like lower(?)
        or lower(subject_key) like lower(?))`,
    )
  }
  // In the words of the index that has only what was revised.
  if (minRevision > 1) add(minRevision, 'revision > 1 and revision >= ?')
  return { condition: conditions.join(' and '), values }
}

// Only entries that have ended are in the indexes by provider, type and category, and PostgreSQL uses
// these where a condition says so.
function byState({ provider, type, category, state }: EntryFilter): string[] {
  if (state !== undefined) return [state === 'received' ? isOpen : hasEnded]
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
