import { defineCommand } from '../command.ts'
import { problem } from '../errors.ts'
import { entryFilterOptions, pageOptions, readEntryFilter } from '../options/entry-options.ts'
import { inboxOptions, withInbox } from '../options/inbox-options.ts'
import { flag } from '../options/option.ts'
import { describeCount, formatDetails, printPage } from '../output/format-table.ts'

export const inboxList = defineCommand('inbox list', {
  options: { ...entryFilterOptions, ...pageOptions, ...inboxOptions },
  async run({ options }, context) {
    const { limit = 50, after } = options
    const filter = readEntryFilter(options)
    const page = await withInbox(options, context, ({ entries }) =>
      entries.list({ ...filter, limit, ...(after !== undefined && { after }) }),
    )
    const rows = page.entries.map(({ receivedAt, state, eventId, type, provider, title }) => ({
      received: receivedAt,
      state,
      event: eventId,
      type,
      provider,
      title,
    }))
    printPage(context.out, page, rows)
    return 0
  },
})

export const inboxShow = defineCommand('inbox show', {
  options: { body: flag, ...inboxOptions },
  async run({ operands: [eventId = ''], options }, context) {
    const { out } = context
    const entry = await withInbox(options, context, ({ entries }) => entries.get(eventId))
    if (!entry) throw problem('not_found', 'entry', { id: JSON.stringify(eventId) })
    if (options.body) {
      if (entry.bodyBase64 === null) throw problem('not_found', 'bytes')
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

export const inboxCount = defineCommand('inbox count', {
  options: { ...entryFilterOptions, ...inboxOptions },
  async run({ options }, context) {
    const filter = readEntryFilter(options)
    const count = await withInbox(options, context, ({ entries }) => entries.count(filter))
    context.out.result(count, describeCount(count))
    return 0
  },
})
