import { defineCommand } from '../command.ts'
import { CliError } from '../errors.ts'
import { formatDetails } from '../format-table.ts'
import { inboxOptions, withInbox } from '../open-inbox.ts'
import { parseCount } from '../parse-count.ts'

/** One row of quarantine with its bytes. */
export const inboxQuarantineShow = defineCommand({
  count: [1, 1],
  options: {
    body: { type: 'boolean', help: 'print the exact bytes of the body and nothing else' },
    ...inboxOptions,
  },
  async run({ operands: [text = ''], options }, context) {
    const { out } = context
    const id = parseCount('The row', text)
    const row = await withInbox(options, context, ({ quarantined }) => quarantined.get(id))
    if (!row) {
      throw new CliError(
        'not_found',
        `There is no row ${id} in quarantine. See: feed-receiver inbox quarantine list --state all`,
      )
    }
    const bytes = Buffer.from(row.bodyBase64, 'base64')
    if (options.body === true) {
      out.bytes(bytes)
      return 0
    }
    out.json(row)
    const details = formatDetails({
      row: row.id,
      state: row.state,
      reason: row.reason,
      detail: row.detail,
      event: row.eventId,
      seen: `${row.seenCount} times, from ${row.firstSeenAt} to ${row.lastSeenAt}`,
      'signed by': row.signedBy,
      signed: row.signedAt,
      settled: row.settledAt && `${row.settledAt} by ${row.settledBy ?? 'unknown'}`,
      sha256: row.sha256,
      bytes: bytes.length,
    })
    for (const line of details) out.line(line)
    out.line('')
    out.line(bytes.toString('utf8', 0, 4000))
    return 0
  },
})
