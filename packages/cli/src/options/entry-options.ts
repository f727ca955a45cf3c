import { entryStates, type EntryFilter } from '@feed-receiver/inbox'
import { oneOf, parsed, text, type Values } from './option.ts'
import { parseCount, parseTime } from './values.ts'

/** Which entries a verb means. */
export const entryFilterOptions = {
  state: oneOf(entryStates),
  type: text,
  provider: text,
  category: text,
  subject: text,
  since: parsed(parseTime),
  until: parsed(parseTime),
  search: text,
}

/** The filter that the options describe. */
export function readEntryFilter(values: Values<typeof entryFilterOptions>): EntryFilter {
  const { state, type, provider, category, subject, since, until, search } = values
  return { state, type, provider, category, subject, since, until, search }
}

/** Which page of a list. */
export const pageOptions = {
  limit: parsed(parseCount),
  after: parsed(parseCount),
}

/** The page that the options name. */
export function readPage({ limit = 50, after }: Values<typeof pageOptions>) {
  return { limit, ...(after !== undefined && { after }) }
}

/** For verbs whose work is kept with the name of who did it. */
export const settleOptions = { by: text }
