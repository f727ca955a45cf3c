import { entryStates, type EntryFilter } from '@feed-receiver/inbox'
import type { OptionTable } from './check-arguments.ts'
import { oneOf } from './one-of.ts'
import { parseTime } from './parse-time.ts'

/** Which entries a verb means. */
export const entryFilterOptions = {
  state: { type: 'string', value: 'state', help: entryStates.join(', ') },
  type: { type: 'string', value: 'type', help: 'type of the event' },
  provider: { type: 'string', value: 'slug', help: 'provider of the event' },
  category: { type: 'string', value: 'category', help: 'category of the event' },
  subject: { type: 'string', value: 'key', help: 'key of the subject, in full' },
  since: {
    type: 'string',
    value: 'time',
    help: 'received then or later: 2026-09-01, or 2h for ago',
  },
  until: { type: 'string', value: 'time', help: 'received before then' },
  search: { type: 'string', value: 'text', help: 'an event id, or how a title or subject begins' },
} as const satisfies OptionTable

export type EntryFilterValues = { [Name in keyof typeof entryFilterOptions]?: string | undefined }

/** Reads the filter that the options describe. */
export function readEntryFilter({ state, since, until, ...rest }: EntryFilterValues): EntryFilter {
  const { type, provider, category, subject, search } = rest
  return {
    type,
    provider,
    category,
    subject,
    search,
    state: oneOf('state', state, entryStates),
    since: parseTime('since', since),
    until: parseTime('until', until),
  }
}
