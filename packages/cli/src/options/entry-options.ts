import { listedStates } from '@feed-receiver/inbox/internal'
import { type EntryFilter } from '@feed-receiver/inbox'
import { UsageError } from '../errors.ts'
import { integer, oneOf, parsed, text, type Values } from './option.ts'
import { parseTime } from './values.ts'

export const entryFilterOptions = {
  state: oneOf('--state <state>', `state of the entries: ${listedStates.join(', ')}`, listedStates),
  type: text('--type <type>', 'type of the events'),
  provider: text('--provider <slug>', 'provider of the events'),
  category: text('--category <category>', 'category of the events'),
  subject: text('--subject <key>', 'full key of the subject'),
  since: parsed(
    '--since <time>',
    'received since this time: 2026-09-01, or an age such as 2h',
    parseTime,
  ),
  until: parsed('--until <time>', 'received before this time', parseTime),
  search: text('--search <text>', 'event id, or words in the title, type or subject'),
  error: text('--error <name>', 'dead and failing entries with this error of inbox errors'),
  minRevision: integer('--min-revision <n>', 'lowest revision: 2 finds corrected events'),
}

/** The filter among all that a verb was given. */
export function readEntryFilter(options: Values<typeof entryFilterOptions>): EntryFilter {
  const given = Object.entries(options).filter(([name]) => name in entryFilterOptions)
  return Object.fromEntries(given)
}

/** The entries with these ids, or those that the filter selects. */
export function readEntryTarget(
  ids: string[],
  options: Values<typeof entryFilterOptions>,
): { ids: string[] } | { filter: EntryFilter } {
  const filter = readEntryFilter(options)
  if (ids.length === 0) return { filter }
  if (Object.keys(filter).length === 0) return { ids }
  throw new UsageError('Event ids and a filter exclude each other. Use one of them.')
}

export const pageOptions = {
  limit: integer('--limit <n>', 'rows per page, up to 500 (50)', { most: 500 }),
  after: integer('--after <n>', 'continue after this position, which the previous page printed'),
}
