import { quarantineReasons } from '@feed-receiver/core'
import { quarantineStates } from '@feed-receiver/inbox'
import { defineCommand } from '../command.ts'
import { problem } from '../errors.ts'
import { pageOptions } from '../options/entry-options.ts'
import { inboxOptions, withInbox } from '../options/inbox-options.ts'
import { flag, oneOf, text } from '../options/option.ts'
import { parseCount } from '../options/values.ts'
import { formatDetails, printPage } from '../output/format-table.ts'
import { many, numeral } from '../output/say-count.ts'

export const inboxQuarantineList = defineCommand('inbox quarantine list', {
  options: {
    state: oneOf([...quarantineStates, 'all']),
    reason: oneOf(quarantineReasons),
    ...pageOptions,
    ...inboxOptions,
  },
  async run({ options }, context) {
    const { state = 'open', limit = 50 } = options
    const filter = { ...options, limit, state: state === 'all' ? undefined : state }
    const page = await withInbox(options, context, ({ quarantined }) => quarantined.list(filter))
    const rows = page.quarantined.map((row) => ({
      id: row.id,
      state: row.state,
      reason: row.reason,
      seen: row.seenCount,
      'last seen': row.lastSeenAt,
      event: row.eventId,
      detail: row.detail,
    }))
    printPage(context.out, page, rows)
    return 0
  },
})

export const inboxQuarantineShow = defineCommand('inbox quarantine show', {
  options: { body: flag, ...inboxOptions },
  async run({ operands: [given = ''], options }, context) {
    const { out } = context
    const id = parseCount(given, 'The row')
    const row = await withInbox(options, context, ({ quarantined }) => quarantined.get(id))
    if (!row) throw problem('not_found', 'row', { id })
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
      seen: `${many(row.seenCount, 'time')}, from ${row.firstSeenAt} to ${row.lastSeenAt}`,
      'signed by': row.signedBy,
      signed: row.signedAt,
      settled: row.settledAt && `${row.settledAt} by ${row.settledBy ?? 'unknown'}`,
      sha256: row.sha256,
      bytes: numeral(bytes.length),
    })
    out.result(row, ...details, '', bytes.toString('utf8', 0, 4000))
    return 0
  },
})

export const inboxRelease = defineCommand('inbox release', {
  options: { by: text, ...inboxOptions },
  async run({ operands: [given = ''], options }, context) {
    const id = parseCount(given, 'The row')
    const { by } = options
    const result = await withInbox(options, context, ({ quarantined }) =>
      quarantined.release(id, { by }),
    )
    context.out.result({ id, result }, `Row ${id} is released: its event is ${result}.`)
    return 0
  },
})

export const inboxDiscard = defineCommand('inbox discard', {
  options: { by: text, ...inboxOptions },
  async run({ operands: [given = ''], options }, context) {
    const id = parseCount(given, 'The row')
    const { by } = options
    await withInbox(options, context, ({ quarantined }) => quarantined.discard(id, { by }))
    context.out.result(
      { id, result: 'discarded' },
      `Row ${id} is discarded. Its bytes stay stored.`,
    )
    return 0
  },
})
