import { defineCommand } from '../command.ts'
import { CliError } from '../errors.ts'
import { bodyOption, inboxOptions, withInbox } from '../options/inbox-options.ts'
import { parseCount } from '../options/values.ts'
import { formatDetails } from '../output/format-table.ts'

/** One row of quarantine with its bytes. */
export const inboxQuarantineShow = defineCommand({
  options: { ...bodyOption, ...inboxOptions },
  async run({ operands: [text = ''], options }, context) {
    const { out } = context
    const id = parseCount(text, 'The row')
    const row = await withInbox(options, context, ({ quarantined }) => quarantined.get(id))
    if (!row) {
      throw new CliError(
        'not_found',
        `There is no row ${id} in quarantine. See: feed-receiver inbox quarantine list --state all`,
      )
    }
    const bytes = Buffer.from(row.bodyBase64, 'base64')
    if (options.body) {
      out.bytes(bytes)
      return 0
    }
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
    out.result(row, ...details, '', bytes.toString('utf8', 0, 4000))
    return 0
  },
})
