import type { EntryDetails } from '@feed-receiver/inbox'
import { defineCommand } from '../command.ts'
import { CliError } from '../errors.ts'
import { formatDetails } from '../format-table.ts'
import { inboxOptions, withInbox } from '../open-inbox.ts'

/** One entry with all that is known of it. */
export const inboxShow = defineCommand({
  count: [1, 1],
  options: {
    body: { type: 'boolean', help: 'print the exact bytes of the body and nothing else' },
    ...inboxOptions,
  },
  notes: ['What --json prints can be sent, replayed and explained again.'],
  examples: ['feed-receiver inbox show evt_123 --json > delivery.json'],
  async run({ operands: [eventId = ''], options }, context) {
    const { out } = context
    const entry = await withInbox(options, context, ({ entries }) => entries.get(eventId))
    if (!entry) {
      throw new CliError(
        'not_found',
        `No entry has the event id ${JSON.stringify(eventId)}. Look for it with: feed-receiver inbox list`,
      )
    }
    if (options.body !== true) {
      out.json(entry)
      for (const line of describeEntry(entry)) out.line(line)
      return 0
    }
    if (entry.bodyBase64 === null) {
      throw new CliError('not_found', 'The bytes of this entry are not kept any more: see prune.')
    }
    out.bytes(Buffer.from(entry.bodyBase64, 'base64'))
    return 0
  },
})

function describeEntry({ job, event, ...entry }: EntryDetails): string[] {
  const details = formatDetails({
    event: entry.eventId,
    state: entry.state,
    type: entry.type,
    provider: entry.provider,
    title: entry.title,
    notes: entry.notes.length === 0 ? null : entry.notes.join(', '),
    observed: entry.createdAt,
    received: entry.receivedAt,
    pushes: `${entry.pushCount}, last ${entry.lastPushAt ?? 'unknown'}`,
    handled: entry.handledAt,
    'signed by': entry.signedBy,
    sha256: entry.sha256,
    job: job && `${job.state}, attempt ${job.attempts} of ${job.maxAttempts}`,
    'next attempt': job?.nextAttemptAt,
    'last error': job?.lastError?.message,
  })
  if (!event) return [...details, '', 'Its bytes are not kept any more.']
  return [...details, '', ...JSON.stringify(event, null, 2).split('\n')]
}
