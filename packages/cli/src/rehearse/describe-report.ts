import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type {
  RehearsalReport,
  RehearsedError,
  RehearsedType,
} from '@feed-receiver/operate/rehearse'
import { formatTable, oneLine } from '../output/format-table.ts'
import { many, nonZero, numeral } from '../output/format-count.ts'

export function describeReport(report: RehearsalReport, columns?: number): string[] {
  const { types, countsRows, limitations, ended } = report
  if (report.events === 0) return [describeCounts(report), ...present(endings[ended])]
  const rows = types.flatMap(({ type, rows: ofType }) => ofType.map((row) => ({ type, ...row })))
  return [
    describeCounts(report),
    ...present(endings[ended]),
    ...part([], formatTable(types.map(toRow), columns)),
    ...part(['Rows that would change:'], formatTable(rows, columns)),
    ...part([], countsRows ? [] : [notCounted]),
    ...part(['Effects:'], formatTable(types.flatMap(toEffects), columns)),
    ...part(
      ['Errors:'],
      types.flatMap(({ type, errors }) => errors.flatMap((error) => describeError(type, error))),
    ),
    ...part(
      ['Limits of this rehearsal:'],
      limitations.map((text) => `- ${text}`),
    ),
  ]
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
  all: '',
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

function describeError(type: string, error: RehearsedError): string[] {
  const { message, code, at, events, eventIds, afterEffect, handledBefore } = error
  const more = events > eventIds.length ? ` and ${numeral(events - eventIds.length)} more` : ''
  const isInTheWay = code === '23505' && handledBefore > 0
  const details = [
    ...present(at === null ? '' : `at ${shortPath(at)}`),
    `${many(events, 'event')}: ${eventIds.join(', ')}${more}`,
    ...present(
      afterEffect > 0
        ? `In ${afterEffect} of them an effect was not run, and its missing result may be the cause. Export effectResult(key, event) to supply one.`
        : '',
    ),
    ...present(
      isInTheWay
        ? `${handledBefore} of them were handled before, so their rows may already exist.`
        : '',
    ),
  ]
  return [`${type}: ${oneLine(message)}`, ...details.map((line) => `  ${line}`)]
}

/** A location of a stack trace, relative to the current folder. */
function shortPath(location: string): string {
  const path = location.startsWith('file:') ? fileURLToPath(location) : location
  return relative('', path)
}

function part(heading: string[], lines: string[]): string[] {
  return lines.length === 0 ? [] : ['', ...heading, ...lines]
}

function present(text: string): string[] {
  return text === '' ? [] : [text]
}
