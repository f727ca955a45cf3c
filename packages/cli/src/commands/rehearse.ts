import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rehearse } from '@feed-receiver/operate/rehearse'
import type {
  RehearsalReport,
  RehearsedCounts,
  RehearsedError,
  RehearsedType,
} from '@feed-receiver/operate/rehearse'
import { defineCommand, type Context } from '../command.ts'
import { entryFilterOptions, readEntryFilter } from '../options/entry-options.ts'
import { inboxOptions, openChosen } from '../options/inbox-options.ts'
import { flag, integer } from '../options/option.ts'
import { formatSections, formatTable, oneLine } from '../output/format-table.ts'
import { many, nonZero, numeral, present } from '../output/words.ts'
import { loadHandlers, watchProcess } from '../load-handlers.ts'

const lineEveryMs = 5_000
const stopping = 'Waiting for running handlers. Press Ctrl-C again to stop at once.'

export const rehearseHandlers = defineCommand({
  options: {
    ...entryFilterOptions,
    limit: integer('--limit <n>', 'maximum number of events, oldest first (all)'),
    concurrency: integer('--concurrency <n>', 'handlers in parallel, up to 256 (4)', { most: 256 }),
    timeout: integer('--timeout <seconds>', 'time limit of a handler (30)'),
    forbidNetwork: flag(
      '--forbid-network',
      'reject fetch and new sockets in handlers, and count attempts',
    ),
    ...inboxOptions,
  },
  notes: `
    The module exports the handlers, as \`handlers\` or as the default. If the app has them, it also
    exports \`transaction\`, and \`effectResult(key, event)\` with results of effects. The command
    imports the module, so it must not start the app. TypeScript needs Node 22.18 or later, or tsx.

    Each event is handled alone, in a transaction that is rolled back, with the current rows.
    effects.once returns stored results and runs nothing. Output of the handlers goes to stderr.

    A rehearsal does not undo side effects outside tx: writes through other connections, network
    calls (reject them with --forbid-network), files, child processes, values of sequences.

    Exit code 1 means that a handler threw, or that no event matches. Ctrl-C waits for running
    handlers, prints the report and exits with code 130.
  `,
  examples: [
    'feed-receiver rehearse ./handlers.ts --since 30d',
    'feed-receiver rehearse ./handlers.ts --type outage_started --forbid-network --json',
  ],
  async run({ operands: [file = ''], options }, context) {
    const { out, env, signal } = context
    const { source, schema, limit, concurrency = 4, timeout = 30, forbidNetwork } = options
    await using database = openChosen(options, context, { maxConnections: concurrency + 1 })
    using watched = watchProcess()
    const { handlers, transaction, effectResult } = await watched.run(() => loadHandlers(file, env))
    signal.addEventListener('abort', () => out.note(stopping), { once: true })
    const settings = {
      handlers,
      database,
      ...(source !== undefined && { source }),
      ...(schema !== undefined && { schema }),
      filter: readEntryFilter(options),
      limit,
      concurrency,
      timeoutMs: timeout * 1_000,
      forbidNetwork,
      effectResult,
      onProgress: progressTo(out),
      signal,
    }
    const report = await watched.run(() =>
      transaction ? rehearse({ ...settings, transaction }) : rehearse(settings),
    )
    const { rejections } = watched
    out.result({ ...report, rejections }, ...describeRehearsal(report, out.columns))
    const [first = ''] = rejections
    if (first !== '') {
      out.note(
        `${rejections.length} promises were rejected without a handler, which would crash the app. The first one: ${first}`,
      )
    }
    if (report.ended === 'aborted') return 130
    if (report.events === 0) {
      out.note(
        'No stored event matches, so nothing was rehearsed. List the events with: feed-receiver inbox list',
      )
    }
    const isWell = report.events > 0 && report.thrown === 0 && rejections.length === 0
    return isWell && report.ended !== 'stuck' ? 0 : 1
  },
})

/** Shows progress: in place on a terminal, elsewhere as an occasional line. */
function progressTo(out: Context['out']) {
  let saidAt = performance.now()
  return ({ events, thrown }: Readonly<RehearsedCounts>) => {
    const text = `${many(events, 'event')} rehearsed, ${thrown} threw …`
    if (out.progress(text) || performance.now() - saidAt < lineEveryMs) return
    saidAt = performance.now()
    out.note(text)
  }
}

function describeRehearsal(report: RehearsalReport, columns?: number): string[] {
  const { types, countsRows, limitations, ended } = report
  const head = present(describeCounts(report), endings[ended])
  if (report.events === 0) return head
  const rows = types.flatMap(({ type, rows: ofType }) => ofType.map((row) => ({ type, ...row })))
  const errors = types.flatMap(({ type, errors: ofType }) =>
    ofType.flatMap((error) => describeThrown(type, error)),
  )
  const sections = formatSections([
    ['', formatTable(types.map(toRow), columns)],
    ['Rows that would change:', formatTable(rows, columns)],
    ['', present(!countsRows && notCounted)],
    ['Effects:', formatTable(types.flatMap(toEffects), columns)],
    ['Errors:', errors],
    ['Limits of this rehearsal:', limitations.map((text) => `- ${text}`)],
  ])
  return [...head, ...sections]
}

function describeCounts(report: RehearsalReport): string {
  const { events, handled, thrown, skipped, emptied, durationMs } = report
  const others = nonZero([
    [thrown, 'threw'],
    [skipped, 'without a handler'],
    [emptied, 'without content, because it was pruned'],
  ])
  const counts = [`${numeral(handled)} handled`, ...others]
  const seconds = (durationMs / 1_000).toFixed(1)
  return `Rehearsed ${many(events, 'event')} in ${seconds} s: ${counts.join(', ')}. Every transaction was rolled back.`
}

const endings = {
  all: null,
  limit: 'It stopped at --limit, so there may be more.',
  aborted: 'It was interrupted, so there may be more.',
  stuck:
    'It stopped early, because handlers that do not end hold every transaction that --concurrency allows.',
}

const notCounted = 'Rows are not counted, because track_counts is off on the server.'

function toRow({ type, events, handled, thrown, skipped, emptied }: RehearsedType) {
  return { type, events, handled, threw: thrown, 'no handler': skipped, 'no content': emptied }
}

function toEffects({ type, effects }: RehearsedType) {
  return effects.map(({ key, wouldRun, fromLedger }) => ({
    type,
    effect: key,
    'would run': wouldRun,
    'result stored': fromLedger,
  }))
}

function describeThrown(type: string, error: RehearsedError): string[] {
  const { message, code, at, events, eventIds, afterEffect, handledBefore } = error
  const more = events > eventIds.length ? ` and ${numeral(events - eventIds.length)} more` : ''
  const details = present(
    at !== null && `at ${shortPath(at)}`,
    `${many(events, 'event')}: ${eventIds.join(', ')}${more}`,
    afterEffect > 0 &&
      `In ${afterEffect} of them an effect was not run, and its missing result may be the cause. Export effectResult(key, event) to supply one.`,
    code === '23505' &&
      handledBefore > 0 &&
      `${handledBefore} of them were handled before, so their rows may already exist.`,
  )
  return [`${type}: ${oneLine(message)}`, ...details.map((line) => `  ${line}`)]
}

/** A location of a stack trace, relative to the current folder. */
function shortPath(location: string): string {
  const path = location.startsWith('file:') ? fileURLToPath(location) : location
  return relative('', path)
}
