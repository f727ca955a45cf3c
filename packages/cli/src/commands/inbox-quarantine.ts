import { codeOf, quarantineReasons } from '@feed-receiver/core/internal'
import { quarantineStates } from '@feed-receiver/inbox/internal'
import { defineCommand, type Context } from '../command.ts'
import { CliError, UsageError } from '../errors.ts'
import { confirm } from '../options/confirm.ts'
import { pageOptions } from '../options/entry-options.ts'
import { inboxOptions, withInbox } from '../options/inbox-options.ts'
import { flag, oneOf, text, type Values } from '../options/option.ts'
import { parseCount } from '../options/values.ts'
import { formatDetails, printPage } from '../output/format-table.ts'
import { many, numeral, present } from '../output/words.ts'

const reasonOption = oneOf(
  '--reason <reason>',
  `reason for the quarantine: ${quarantineReasons.join(', ')}`,
  quarantineReasons,
)

const resolveOptions = {
  all: flag('--all', 'all open deliveries, or those with the reason'),
  reason: reasonOption,
  by: text('--by <name>', 'your name, recorded with the time'),
  yes: flag('-y, --yes', 'skip the confirmation of --all; required without a terminal'),
  ...inboxOptions,
}

const discardOptions = {
  dryRun: flag('--dry-run', 'only count the deliveries of --all'),
  ...resolveOptions,
}

/** The number of a row; undefined for --all, which alone takes the other options. */
function readRow(
  given: string | undefined,
  { all = false, reason, dryRun }: Partial<Values<typeof discardOptions>>,
): number | undefined {
  if (all === (given !== undefined))
    throw new UsageError('Give the number of a row, or --all for all open ones.')
  if (given === undefined) return undefined
  if (reason !== undefined || dryRun)
    throw new UsageError(
      `${dryRun ? '--dry-run' : '--reason'} belongs to --all. Leave it out for one row.`,
    )
  return parseCount(given, 'The row')
}

export const inboxQuarantineList = defineCommand({
  options: {
    state: oneOf('--state <state>', 'open, released, discarded or all (open)', [
      ...quarantineStates,
      'all',
    ]),
    reason: reasonOption,
    ...pageOptions,
    ...inboxOptions,
  },
  examples: ['feed-receiver inbox quarantine list --reason not_an_event'],
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
  },
})

export const inboxQuarantineShow = defineCommand({
  options: { body: flag('--body', 'print only the raw body, byte for byte'), ...inboxOptions },
  async run({ operands: [given = ''], options }, context) {
    const { out } = context
    const id = parseCount(given, 'The row')
    const row = await withInbox(options, context, ({ quarantined }) => quarantined.get(id))
    if (!row)
      throw new CliError(
        'not_found',
        `There is no row ${id} in quarantine. List the rows with: feed-receiver inbox quarantine list --state all`,
      )
    const bytes = Buffer.from(row.bodyBase64, 'base64')
    if (options.body) {
      out.bytes(bytes)
      return
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
      resolved: row.resolvedAt && `${row.resolvedAt} by ${row.resolvedBy ?? 'unknown'}`,
      sha256: row.sha256,
      bytes: numeral(bytes.length),
    })
    out.result(row, ...details, '', bytes.toString('utf8', 0, 4000))
  },
})

export const inboxRelease = defineCommand({
  options: resolveOptions,
  notes: `
    Give a row, or --all after an upgrade. Exit code 1 means that some rows cannot be released, so
    they stay in quarantine.
  `,
  examples: ['feed-receiver inbox release --all --reason unknown_schema_version'],
  async run({ operands: [given], options }, context) {
    const { by } = options
    const id = readRow(given, options)
    if (id === undefined) return await releaseAll(options, context)
    const result = await withInbox(options, context, ({ quarantined }) =>
      quarantined.release(id, { by }),
    )
    context.out.result({ id, result }, `Row ${id} is released: its event is ${result}.`)
    return 0
  },
})

/** The counts of a release to which these errors belong. Others end the release of all. */
const countOf: ReadonlyMap<string | undefined, 'left' | 'resolvedByOthers'> = new Map([
  ['still_unreadable', 'left'],
  ['id_conflict', 'left'],
  ['already_resolved', 'resolvedByOthers'],
  ['not_quarantined', 'resolvedByOthers'],
])

async function releaseAll(
  options: Values<typeof resolveOptions>,
  context: Context,
): Promise<number> {
  const { reason, by, yes } = options
  const { out, signal } = context
  const which = reason === undefined ? 'all open rows' : `all open rows with ${reason}`
  if (!(await confirm(`Release ${which}? Their events are handled.`, yes, context))) return 1
  return await withInbox(options, context, async ({ quarantined }) => {
    const counts = { released: 0, left: 0, resolvedByOthers: 0 }
    try {
      for (let after: number | undefined; !signal.aborted;) {
        const page = await quarantined.list({ state: 'open', reason, limit: 500, after })
        for (const { id } of page.quarantined) {
          if (signal.aborted) break
          counts[await releaseOne(id)] += 1
        }
        if (page.next === null) break
        after = page.next
      }
    } finally {
      // Also before an error, because these rows are released.
      out.result(counts, describeRelease(counts))
    }
    if (signal.aborted) return 130
    return counts.left === 0 ? 0 : 1

    async function releaseOne(id: number): Promise<keyof typeof counts> {
      try {
        await quarantined.release(id, { by })
        return 'released'
      } catch (error) {
        const count = countOf.get(codeOf(error))
        if (count === undefined) throw error
        return count
      }
    }
  })
}

function describeRelease(counts: Record<'released' | 'left' | 'resolvedByOthers', number>): string {
  const { released, left, resolvedByOthers } = counts
  return present(
    `${many(released, 'row')} released.`,
    resolvedByOthers > 0 && `${many(resolvedByOthers, 'row')} resolved by somebody else meanwhile.`,
    left > 0 &&
      `${many(left, 'row')} cannot be released. See why: feed-receiver inbox quarantine list`,
  ).join(' ')
}

export const inboxDiscard = defineCommand({
  options: discardOptions,
  notes: `
    Give a row, or --all. The bytes stay stored. You cannot undo it.
  `,
  examples: ['feed-receiver inbox discard --all --reason not_json --dry-run'],
  async run({ operands: [given], options }, context) {
    const { by } = options
    const id = readRow(given, options)
    if (id === undefined) return await discardAll(options, context)
    await withInbox(options, context, ({ quarantined }) => quarantined.discard(id, { by }))
    context.out.result(
      { id, result: 'discarded' },
      `Row ${id} is discarded. Its bytes stay stored.`,
    )
    return 0
  },
})

async function discardAll(
  options: Values<typeof discardOptions>,
  context: Context,
): Promise<number> {
  const { reason, by, dryRun = false, yes } = options
  // Nobody has confirmed to discard what arrives after the count.
  const filter = { reason, until: new Date() }
  return await withInbox(options, context, async ({ quarantined }) => {
    const found = await quarantined.discard({ filter }, { dryRun: true })
    if (dryRun) {
      context.out.result({ wouldDiscard: found }, `${many(found, 'row')} would be discarded.`)
      return 0
    }
    const question = `Discard ${many(found, 'row')}? You cannot undo this.`
    if (found > 0 && !(await confirm(question, yes, context))) return 1
    const discarded = await quarantined.discard({ filter }, { by })
    context.out.result({ discarded }, `${many(discarded, 'row')} discarded. The bytes stay stored.`)
    return 0
  })
}
