import { defineCommand } from '../command.ts'
import { CliError } from '../errors.ts'
import { bodyOption, inboxOptions, withInbox } from '../options/inbox-options.ts'
import { formatDetails } from '../output/format-table.ts'

/** One entry with all that is known of it. */
export const inboxShow = defineCommand({
  options: { ...bodyOption, ...inboxOptions },
  notes: ['What --json prints can be sent, replayed and explained again.'],
  examples: ['feed-receiver inbox show evt_123 --json > delivery.json'],
  async run({ operands: [eventId = ''], options }, context) {
    const { out } = context
    const entry = await withInbox(options, context, ({ entries }) => entries.get(eventId))
    if (!entry) {
      const shown = JSON.stringify(eventId)
      throw new CliError(
        'not_found',
        `No entry has the event id ${shown}. Look for it with: feed-receiver inbox list`,
      )
    }
    if (options.body) {
      if (entry.bodyBase64 === null) {
        throw new CliError('not_found', 'The bytes of this entry are not kept any more: see prune.')
      }
      out.bytes(Buffer.from(entry.bodyBase64, 'base64'))
      return 0
    }
    const { event, job } = entry
    const details = formatDetails({
      event: entry.eventId,
      state: entry.state,
      type: entry.type,
      provider: entry.provider,
      title: entry.title,
      notes: entry.notes.join(', ') || null,
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
    const body = event ? JSON.stringify(event, null, 2) : 'Its bytes are not kept any more.'
    out.result(entry, ...details, '', body)
    return 0
  },
})
