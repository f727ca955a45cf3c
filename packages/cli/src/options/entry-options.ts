import { entryStates, type EntryFilter } from '@feed-receiver/inbox'
import { oneOf, parsed, text, type Values } from './option.ts'
import { parseCount, parseTime } from './values.ts'

/** Which entries a verb means. */
export const entryFilterOptions = {
  state: oneOf('--state <state>', entryStates.join(', '), entryStates),
  type: text('--type <type>', 'type of the event'),
  provider: text('--provider <slug>', 'provider of the event'),
  category: text('--category <category>', 'category of the event'),
  subject: text('--subject <key>', 'key of the subject, in full'),
  since: parsed('--since <time>', 'received then or later: 2026-09-01, or 2h for ago', parseTime),
  until: parsed('--until <time>', 'received before then', parseTime),
  search: text('--search <text>', 'an event id, or how a title or subject begins'),
}

/** The filter that the options describe. */
export function readEntryFilter(values: Values<typeof entryFilterOptions>): EntryFilter {
  const { state, type, provider, category, subject, since, until, search } = values
  return { state, type, provider, category, subject, since, until, search }
}

/** Which page of a list. */
export const pageOptions = {
  limit: parsed('--limit <n>', 'how many at once, up to 500 (50)', parseCount),
  after: parsed('--after <n>', 'where the page before said that it ended', parseCount),
}

/** The page that the options name. */
export function readPage({ limit = 50, after }: Values<typeof pageOptions>) {
  return { limit, ...(after !== undefined && { after }) }
}

/** For verbs whose work is kept with the name of who did it. */
export const settleOptions = { by: text('--by <name>', 'who does it; kept with the time') }
