import { auditInbox, type AuditReport, type AuditStatement } from '@feed-receiver/operate/audit'
import { defineCommand } from '../command.ts'
import { inboxOptions, withDatabase } from '../options/inbox-options.ts'
import { flag, parsed, text } from '../options/option.ts'
import { parseMonth } from '../options/values.ts'
import { formatDetails, formatSections, formatTable } from '../output/format-table.ts'
import { rejectExisting, writeOutput } from '../output/output-file.ts'
import { many, numeral, present } from '../output/words.ts'

export const audit = defineCommand({
  options: {
    month: parsed(
      '--month <month>',
      'month in UTC, such as 2026-11 (the last full month)',
      parseMonth,
    ),
    expect: text('--expect <head>', 'chain head that you wrote down; exit code 1 if it differs'),
    signedBy: text('--signed-by <name>', 'sign the report: store the name with head and counts'),
    days: flag('--days', 'list each day with its count and its head'),
    output: text('--output <file>', 'file for the report; the last line is printed as well'),
    force: flag('--force', 'overwrite an existing file'),
    ...inboxOptions,
  },
  notes: `
    The app adds the audit: createAudit(inbox) from @feed-receiver/operate/audit.

    The report says what push delivered, what pull found, what was handled, and which days were
    changed since they were sealed. Workers seal each day after midnight UTC, and this command seals
    the rest. A read-only role computes the heads, but seals nothing.

    Exit code 1 means that an event is dead, pending or stored twice, that a delivery is in quarantine,
    or that rows, seals or the head differ.
  `,
  examples: [
    "feed-receiver audit --month 2026-11 --signed-by 'Ana Lima' --output 2026-11.txt",
    'feed-receiver audit --month 2026-11 --expect 9f3a…',
  ],
  async run({ options }, context) {
    const { out } = context
    const { month, expect: expectedHead, signedBy, days = false, output, force = false } = options
    rejectExisting('--output', output, force)
    const report = await withDatabase(options, context, (database, names) =>
      auditInbox({ ...names, databases: [database], month, expectedHead, signedBy }),
    )
    const lines = describeAudit(report, days)
    if (output === undefined) {
      out.result(report, ...lines, finalLine(report))
    } else {
      const written = out.isJson ? JSON.stringify(report) : [...lines, finalLine(report)].join('\n')
      await writeOutput(output, `${written}\n`, force)
      const { problems, head } = report
      out.result({ file: output, head, problems }, finalLine(report), `${output} is written.`)
    }
    for (const note of notesOf(report)) out.hint(note)
    return report.problems.length === 0 ? 0 : 1
  },
})

function finalLine({ counts, pull, head }: AuditReport): string {
  const { events, done, skipped, dead, pending, pullOnly, storedTwice } = counts
  const others = Object.entries({ skipped, dead, pending })
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} ${numeral(count)}, `)
    .join('')
  // Without pull, the inbox knows only what reached it.
  const verb = pull === 'whole' ? 'Published' : 'Received'
  return (
    `${verb} ${numeral(events)}, handled ${numeral(done)}, ${others}` +
    `${numeral(pullOnly)} by pull only, stored twice ${numeral(storedTwice)}. Chain head ${head}.`
  )
}

function describeAudit(report: AuditReport, hasDays: boolean): string[] {
  const { source, month, from, until, isPartial, statements, signed, problems } = report
  const rows = {
    'Streams of pull': statements.flatMap(streamRows),
    Quarantine: statements.flatMap(({ quarantined }) => quarantined),
    'Rejected deliveries': statements.flatMap(({ rejected }) => rejected),
    Operations: statements.flatMap(({ operations }) =>
      operations.map(({ kind, count, entryCount: entries }) => ({ kind, count, entries })),
    ),
    Days: hasDays ? statements.flatMap(dayRows) : [],
    'Signed before': statements.flatMap(({ signatures }) =>
      signatures.map(({ by, at, head }) => ({ by, at, head })),
    ),
  }
  return [
    `Delivery statement of ${source} for ${month} in UTC`,
    `From ${from} until ${isPartial ? `now, ${until}` : until}`,
    '',
    ...formatDetails(detailsOf(report)),
    ...formatSections(Object.entries(rows).map(([title, some]) => [title, formatTable(some)])),
    '',
    ...problems.map(({ message }) => message),
    ...present(signed && `Signed by ${signed.by} at ${signed.at}.`),
  ]
}

const coverages = {
  whole: 'the whole period',
  part: 'a part of the period',
  none: 'nothing of the period',
}

function detailsOf({ counts, pull, statements }: AuditReport) {
  const days = statements.flatMap((statement) => statement.days)
  const sealed = days.filter((day) => day.sealed !== null).length
  const late = days.reduce((sum, day) => sum + day.late, 0)
  const orNull = (count: number) => (count === 0 ? null : numeral(count))
  return {
    events: numeral(counts.events),
    'by push': numeral(counts.pushed),
    'by pull': numeral(counts.pulled),
    'by pull only': numeral(counts.pullOnly),
    'missed by push': orNull(counts.missed),
    'pull has read': coverages[pull],
    handled: numeral(counts.done),
    skipped: numeral(counts.skipped),
    dead: numeral(counts.dead),
    pending: numeral(counts.pending),
    duplicates: `${many(counts.duplicates, 'delivery')} deduplicated`,
    'stored twice': numeral(counts.storedTwice),
    'changed content': orNull(counts.revised),
    'stored effects': numeral(counts.effects),
    'effects repeated on request': orNull(counts.repeatedEffects),
    'test deliveries': orNull(counts.testDeliveries),
    'stored late': orNull(late),
    'removed by retention': removedBy(counts.removed, days),
    'sealed days': `${numeral(sealed)} of ${numeral(days.length)}`,
  }
}

function removedBy(removed: number, days: AuditStatement['days']): string | null {
  if (removed === 0) return null
  const times = days.flatMap(({ removedAt }) => removedAt ?? []).toSorted()
  return `${many(removed, 'row')}, the last on ${dateOf(times.at(-1))}`
}

function dateOf(time: string | null | undefined): string {
  return time?.slice(0, 10) ?? '-'
}

function streamRows({ streams }: AuditStatement) {
  return streams.flatMap(({ stream, startedAt, polledAt, gaps }) => [
    { stream, from: startedAt, until: polledAt, gap: null },
    ...gaps.map(({ since, until, code }) => ({ stream, from: since, until, gap: code })),
  ])
}

function dayRows({ days }: AuditStatement) {
  return days.map(({ day, sealed, found, late, removed, removedAt, head }) => ({
    day,
    sealed,
    found,
    late,
    removed: removed === 0 ? 0 : `${removed} by retention on ${dateOf(removedAt)}`,
    head,
  }))
}

function notesOf({ statements, isPartial, isSealed }: AuditReport): string[] {
  if (statements.some(({ isReadOnly }) => isReadOnly)) {
    return [
      'This role or server may only read, so no day was sealed. Heads of open days are computed.',
    ]
  }
  if (isPartial || isSealed) return []
  return [
    'Not all days are sealed, because a transaction is still writing. Run the command again later.',
  ]
}
