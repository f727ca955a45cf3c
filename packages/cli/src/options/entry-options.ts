import { entryStates } from '@feed-receiver/inbox'
import { oneOf, parsed, text } from './option.ts'
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

/** Which page of a list. */
export const pageOptions = {
  limit: parsed(parseCount),
  after: parsed(parseCount),
}
