import type { Entries, EntryFilter, EntryJobRow, EntryRow, ListedState } from '@feed-receiver/inbox'
import { defineCommand, type Context } from '../command.ts'
import { CliError } from '../errors.ts'
import { entryFilterOptions, pageOptions, readEntryFilter } from '../options/entry-options.ts'
import { inboxOptions, withInbox } from '../options/inbox-options.ts'
import { didYouMean, flag } from '../options/option.ts'
import { orUndefined } from '../or-undefined.ts'
import { formatDetails, formatTable, printPage } from '../output/format-table.ts'
import { whyBodiless } from '../read-delivery.ts'
import { describeCount, describeEntries, many } from '../output/words.ts'

export const inboxList = defineCommand({
  options: { ...entryFilterOptions, ...pageOptions, ...inboxOptions },
  examples: ['feed-receiver inbox list --state dead --since 2d'],
  async run({ options }, context) {
    const { limit = 50, after, state } = options
    const listed = { ...readEntryFilter(options), limit, after }
    const page = await withInbox(options, context, async ({ entries }) => {
      const found = await entries.list(listed)
      if (found.entries.length === 0 && !context.out.isJson)
        await reportUnknown(entries, listed, context)
      return found
    })
    const isOfFailures = state === 'dead' || state === 'failing'
    const rows = page.entries.map((entry) => ({
      received: entry.receivedAt,
      state: stateOf(entry),
      event: entry.eventId,
      type: entry.type,
      ...(isOfFailures
        ? { attempts: entry.job?.attempts, 'last error': entry.job?.lastError?.message }
        : { provider: entry.provider, title: entry.title }),
    }))
    printPage(context.out, page, rows)
  },
})

export const inboxShow = defineCommand({
  options: { body: flag('--body', 'print only the raw body, byte for byte'), ...inboxOptions },
  notes: `
    You can send, replay and explain the output of --json.
  `,
  examples: ['feed-receiver inbox show evt_123 --json > delivery.json'],
  async run({ operands: [eventId = ''], options }, context) {
    const { out } = context
    const entry = await withInbox(options, context, ({ entries }) => entries.get(eventId))
    if (!entry)
      throw new CliError(
        'not_found',
        `No entry has the event id ${JSON.stringify(eventId)}. List the entries with: feed-receiver inbox list`,
      )
    if (options.body) {
      if (entry.bodyBase64 === null) throw new CliError('not_found', whyBodiless(entry.event))
      out.bytes(Buffer.from(entry.bodyBase64, 'base64'))
      return
    }
    const { event, job } = entry
    const details = formatDetails({
      event: entry.eventId,
      state: stateOf(entry),
      type: entry.type,
      provider: entry.provider,
      title: entry.title,
      notes: entry.notes.join(', ') || null,
      observed: entry.createdAt,
      received: entry.receivedAt,
      pushes: `${many(entry.pushCount, 'push')}, last ${entry.lastPushAt ?? 'unknown'}`,
      [entry.state === 'dead' ? 'died' : 'handled']: entry.handledAt,
      'signed by': entry.signedBy,
      sha256: entry.sha256,
      job: job && describeJob(job),
      'next attempt': job?.nextAttemptAt,
      'last error': job?.lastError?.message,
    })
    const stack = job?.lastError?.stack
    const trace = stack ? ['', 'Stack of the last error:', stack] : []
    const body = event
      ? // JSON.stringify overflows the stack for an event that is nested too deeply.
        orUndefined(() => JSON.stringify(event, null, 2))
      : 'The content is no longer stored, because prune deleted it.'
    const printed = body === undefined ? { ...entry, event: null } : entry
    out.result(printed, ...details, ...trace, '', body ?? tooDeep)
  },
})

const tooDeep = 'The event is nested too deeply to print as JSON. Print its bytes with --body.'

/** The state under which a list finds an entry. */
export function stateOf({ state, isFailing }: Pick<EntryRow, 'state' | 'isFailing'>): ListedState {
  return isFailing ? 'failing' : state
}

/** A job that failed permanently has no attempts left, so no maximum is shown. */
function describeJob({ state, attempts, maxAttempts }: EntryJobRow): string {
  const isLast = state === 'failed' && attempts === maxAttempts
  return `${state}, attempt ${attempts}${isLast ? ', the last one' : ` of ${maxAttempts}`}`
}

export const inboxErrors = defineCommand({
  options: inboxOptions,
  notes: `
    Counts the newest 1,000 dead and failing entries. Messages that differ only in words with digits
    are one error. Its name selects its entries in other commands, such as:

    feed-receiver inbox retry --error 2f6e0c9a41d87b35
  `,
  examples: ['feed-receiver inbox errors --json'],
  async run({ options }, context) {
    const { out } = context
    const errors = await withInbox(options, context, ({ entries }) => entries.errors())
    const rows = errors.map(({ error, message, dead, failing, types }) => ({
      error,
      dead: describeCount(dead),
      failing: describeCount(failing),
      types: types.join(', '),
      message,
    }))
    out.result({ errors }, ...formatTable(rows, out.columns))
    if (rows.length === 0) out.hint('No entry is dead or failing.')
    return 0
  },
})

export const inboxCount = defineCommand({
  options: { ...entryFilterOptions, ...inboxOptions },
  examples: ['feed-receiver inbox count --state dead --json'],
  async run({ options }, context) {
    const filter = readEntryFilter(options)
    const count = await withInbox(options, context, async ({ entries }) => {
      const found = await entries.count(filter)
      if (found.count === 0 && !context.out.isJson) await reportUnknown(entries, filter, context)
      return found
    })
    context.out.result(count, describeEntries(count))
  },
})

/** For a filter that matches nothing, notes which of its values no entry has. */
export async function reportUnknown(
  entries: Entries,
  filter: EntryFilter,
  { out }: Context,
): Promise<void> {
  const named = ['type', 'provider', 'category'] as const satisfies (keyof EntryFilter)[]
  if (named.every((name) => filter[name] === undefined)) return
  const { types, providers, categories } = await entries.facets()
  const known = { type: types, provider: providers, category: categories }
  for (const name of named) {
    const word = filter[name]
    if (word === undefined || known[name].includes(word)) continue
    // The facets list at most a hundred values, so a missing one may still exist.
    if ((await entries.count({ [name]: word }, { upTo: 1 })).count > 0) continue
    out.note(`No entry has the ${name} ${JSON.stringify(word)}.${didYouMean(word, known[name])}`)
  }
}
