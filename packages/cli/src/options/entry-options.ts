import { listedStates, type EntryFilter } from '@feed-receiver/inbox'
import { oneOf, parsed, text, type Values } from './option.ts'
import { parseCount, parseTime } from './values.ts'

/** Which entries a verb means. */
export const entryFilterOptions = {
  state: oneOf(listedStates),
  type: text,
  provider: text,
  category: text,
  subject: text,
  since: parsed(parseTime),
  until: parsed(parseTime),
  search: text,
  minRevision: parsed(parseCount),
}

/** The filter among all that a verb was given. */
export function readEntryFilter(options: Values<typeof entryFilterOptions>): EntryFilter {
  const given = Object.entries(options).filter(([name]) => name in entryFilterOptions)
  return Object.fromEntries(given)
}

/** Which page of a list. */
export const pageOptions = {
  limit: parsed(parseCount),
  after: parsed(parseCount),
}
