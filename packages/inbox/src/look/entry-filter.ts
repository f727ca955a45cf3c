import { InboxError } from '../errors.ts'

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
}

/** A part of a statement: conditions on the entry, and the values of their parameters. */
export interface Conditions {
  text: string
  values: unknown[]
}

/** Writes a filter as conditions, whose parameters are numbered from 1. */
export function entryConditions(source: string, filter: EntryFilter): Conditions {
  const { provider, type, category, subject, state, since, until, search } = filter
  const values: unknown[] = [source]
  const parts = ['source = $1']
  const add = (value: unknown, part: (parameter: string) => string) => {
    if (value === undefined) return
    values.push(value)
    parts.push(part(`$${values.length}`))
  }
  add(provider, (parameter) => `provider = ${parameter}`)
  add(type, (parameter) => `type = ${parameter}`)
  add(category, (parameter) => `category = ${parameter}`)
  add(subject, (parameter) => `subject_key = ${parameter}`)
  add(state, (parameter) => `state = ${parameter}`)
  add(toTime('since', since), (parameter) => `received_at >= ${parameter}`)
  add(toTime('until', until), (parameter) => `received_at < ${parameter}`)
  if (search !== undefined && search !== '') {
    values.push(search, `${search.replaceAll(/[\\%_]/g, '\\$&')}%`)
    const [id, prefix] = [`$${values.length - 1}`, `$${values.length}`]
    parts.push(
      `(event_id = ${id} or lower(title) like lower(${prefix})
        or lower(subject_key) like lower(${prefix}))`,
    )
  }
  return { text: parts.join(' and '), values }
}

function toTime(name: string, time: Date | string | undefined): Date | undefined {
  if (time === undefined) return undefined
  const date = new Date(time)
  if (!Number.isNaN(date.getTime())) return date
  throw new InboxError('bad_option', `${name}: this is no time; use ISO 8601 or a Date.`)
}
