import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type {
  RehearsalReport,
  RehearsedError,
  RehearsedType,
} from '@feed-receiver/operate/rehearse'
import { formatSections, formatTable, oneLine } from '../output/format-table.ts'
import { many, nonZero, numeral, present } from '../output/words.ts'

export function describeRehearsal(report: RehearsalReport, columns?: number): string[] {
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
