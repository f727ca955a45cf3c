import type { AlertInputs } from './alert-inputs.ts'
import type { ExplainedFault } from '../sql-states.ts'
import { isError } from '@feed-receiver/core/internal'
import { codeOf } from '../errors.ts'
import { insideTx } from '../handle/transactions.ts'
import type { WatchedWork } from '../watch-work.ts'
import { failingStores, failingWork, type FailedTrial } from './failing-work.ts'
import type { Pausing } from './find-pause.ts'
import type { CheckedStream } from './check-streams.ts'
import type { JobCounts } from './job-counts.ts'
import type { RejectionRow } from './rejections.ts'
import { storedProblems } from './stored-problems.ts'

/** A problem, and how to fix it. */
export interface HealthProblem {
  code: HealthProblemCode
  /** What is wrong and what to do next, in one text. */
  message: string
}

export type HealthProblemCode = keyof typeof problemTable

/** What one look at an inbox has found. A part that could not be read is left out. */
export interface Observations {
  /** Explains an error of the database. */
  explain: (error: unknown) => ExplainedFault
  /** What failed in this process. */
  work?: WatchedWork
  /** The rejections of the last hour, over all processes. */
  rejections?: readonly RejectionRow[]
  /** The work that failed in a trial, with its error. */
  trial?: FailedTrial | undefined
  /** The rejection that has probably paused the feed. */
  pausing?: Pausing
  /** What the tables show, to every process alike. */
  stored?: AlertInputs
  streams?: readonly CheckedStream[]
  jobs?: JobCounts
  /** Milliseconds by which our clock is ahead of the database's and behind it. */
  clock?: { ahead: number; behind: number }
  /** The parts that could not be read, with their errors. */
  unread?: readonly { part: string; error: unknown }[]
  /** Why nothing could be read. */
  down?: { code: string; error: unknown; isPoolExhausted: boolean }
}

interface ProblemRow<Found> {
  /** A problem makes `ok` false. A warning may need a person. */
  severity: 'problem' | 'warning'
  /** The cases of this problem; empty if there is none. */
  detect: (seen: Observations) => readonly Found[]
  message: (found: Found) => string
  /** What to do next; empty if the message says it. */
  fix: (found: Found) => string
}

/** A row with the texts of what it has found. */
function row<Found>({ severity, detect, message, fix }: ProblemRow<Found>) {
  return {
    severity,
    find: (seen: Observations): string[] =>
      detect(seen).map((found) => `${message(found)} ${fix(found)}`.trim()),
  }
}

/** The parts without which an inbox cannot work. */
const mainParts = ['entries', 'queue']
/** The receiver's tolerance in seconds. It answers deliveries outside of it with 503. */
const tolerance = 300
/** Less than the tolerance, because a delivery takes some time to arrive. */
const skewLimitSeconds = 240

/** The problems that the health finds, in the order in which they are listed. */
const foundByHealth = {
  deliveries_rejected: row({
    severity: 'warning',
    detect: ({ pausing }) => listOf(pausing),
    message: ({ status, reason, lastAt, evidence }) =>
      `The feed is probably paused: the receiver answered ${status} (${reason}) at ${lastAt}. ${evidence}.`,
    fix: ({ fix }) => fix,
  }),
  clock_skew: row({
    severity: 'problem',
    detect: ({ clock }) => listOf(clock).flatMap(skewOf),
    message: ({ seconds, way }) =>
      `The clock of this process is ${seconds} s ${way} the database's.`,
    fix: () =>
      `Synchronize both with NTP: a delivery more than ${tolerance} s from this clock is rejected with 503.`,
  }),
  disk_full: row({
    severity: 'problem',
    detect(seen) {
      if (seen.down && codeOf(seen.down.error) === 'disk_full') return [textOf(seen.down.error)]
      return failingStores(seen)?.isDiskFull ? [''] : []
    },
    message: (text) =>
      text || 'The disk of the database is full, so deliveries are rejected with 503.',
    // The embedded database says how much is free.
    fix: (text) => (text ? '' : 'Free some space on it.'),
  }),
  store_failing: row({
    severity: 'problem',
    detect: (seen) => listOf(failingStores(seen)?.lasting),
    message: ({ what, failed, reason }) => `${what} get 503${failed}. ${reason}`,
    fix: ({ fix }) => fix,
  }),
  store_failed: row({
    severity: 'warning',
    detect: (seen) => listOf(failingStores(seen)?.single),
    message: ({ what, times, lastAt, reason }) =>
      `${what} could not be stored ${times}, the last time at ${lastAt}. ${reason}`,
    fix: ({ fix }) => fix,
  }),
  page_failing: row({
    severity: 'problem',
    detect: (seen) => listOf(failingWork(seen, 'accept_page')),
    message: ({ times, since, reason }) =>
      `Pulled events could not be stored ${times} since ${since}, without a success. ${reason}`,
    fix: ({ fix }) => fix,
  }),
  claim_failing: row({
    severity: 'problem',
    detect: (seen) => listOf(failingWork(seen, 'claim')),
    message: ({ times, since, reason }) =>
      `The worker of this process could not claim entries ${times} since ${since}. ${reason}`,
    fix: ({ fix }) => fix,
  }),
  finish_failing: row({
    severity: 'problem',
    detect: (seen) => listOf(failingWork(seen, 'finish')),
    message: ({ times, since, reason }) =>
      'Handlers have succeeded, and their events could not be marked as done ' +
      `${times} since ${since}: each was rolled back and is handled again. ${reason}`,
    fix: ({ fix }) => fix,
  }),
  pull_suspended: row({
    severity: 'problem',
    detect: ({ streams = [] }) => streams.filter(({ trouble }) => trouble === 'suspended'),
    message: ({ row: { stream, code, polledAt } }) =>
      `The poller is suspended (${code ?? 'unknown'}), so nothing of ${stream} was pulled since ${polledAt ?? 'the start'}.`,
    fix: ({ row: { stream, code }, source, table }) =>
      `${fixOfPoller(code)} If you have removed this poller, run: delete from ${table} where source = '${source}' and stream = '${stream}'.`,
  }),
  pull_silent: row({
    severity: 'warning',
    detect: ({ streams = [] }) => streams.filter(({ trouble }) => trouble === 'silent'),
    message: ({ row: { stream, polledAt } }) =>
      `No poller has read ${stream} since ${polledAt ?? 'the start'}, for more than an hour.`,
    fix: ({ row: { stream }, source, table }) =>
      `Check that its process runs. If you have removed this poller, run: delete from ${table} where source = '${source}' and stream = '${stream}'.`,
  }),
  nothing_claimed: row({
    severity: 'problem',
    detect: ({ jobs }) => listOf(jobs).filter(({ isIgnored }) => isIgnored),
    message: () => 'Entries have been due for more than 60 s, and no worker claims them.',
    fix: () => 'Check that a process calls `inbox.work(handlers)`, and restart it if it does.',
  }),
  handlers_hung: row({
    severity: 'problem',
    detect: ({ jobs }) => listOf(jobs).filter(({ slow, isHung }) => slow.length > 0 && isHung),
    message: ({ slow }) =>
      `Every running handler has run for more than 60 s, and entries wait for more than 60 s: ${namesOf(slow)}.`,
    fix: () =>
      'If they hang, pass `signal` to the calls they make, and restart the worker; else raise `concurrency`.',
  }),
  handlers_slow: row({
    severity: 'warning',
    detect: ({ jobs }) => listOf(jobs).filter(({ slow, isHung }) => slow.length > 0 && !isHung),
    message: ({ slow }) => `Handlers have run for more than 60 s: ${namesOf(slow)}.`,
    fix: () =>
      'An attempt times out after 15 minutes. If they hang, pass `signal` to the calls they make.',
  }),
  claims_abandoned: row({
    severity: 'problem',
    detect: ({ jobs }) => listOf(jobs).filter(({ abandoned }) => abandoned > 0),
    message: ({ abandoned }) =>
      `The heartbeats of ${abandoned} claimed entries have been overdue for more than 60 s, and the queue has not retried them.`,
    fix: () => 'Restart the processes of this inbox.',
  }),
  tables_unreadable: row({
    severity: 'problem',
    detect: (seen) => unreadParts(seen, (part) => part === 'entries'),
    message: ({ part, reason }) => `The ${part} could not be read. ${reason}`,
    fix: ({ fix }) => fix,
  }),
  queue_down: row({
    severity: 'problem',
    detect: (seen) => unreadParts(seen, (part) => part === 'queue'),
    message: ({ reason }) => `The tables of the queue could not be read. ${reason}`,
    fix: ({ fix }) => fix,
  }),
  side_unreadable: row({
    severity: 'warning',
    detect: (seen) => unreadParts(seen, (part) => !mainParts.includes(part)),
    message: ({ part, reason }) =>
      `The ${part} could not be read, so problems that they would show are not reported. ${reason}`,
    fix: ({ fix }) => fix,
  }),
  pool_exhausted: row({
    severity: 'problem',
    detect: ({ down }) => listOf(down).filter(({ isPoolExhausted }) => isPoolExhausted),
    message: () =>
      'Handlers or other code hold every connection of the pool, so the health could not be read. Deliveries are stored on other connections.',
    fix: () =>
      'Lower `concurrency`, shorten the transactions of handlers, or raise `maxConnections` of the database.',
  }),
  database_down: row({
    severity: 'problem',
    detect: ({ down }) =>
      listOf(down).filter(
        ({ error, isPoolExhausted }) => !isPoolExhausted && codeOf(error) !== 'disk_full',
      ),
    message({ code }) {
      if (code === 'not_running') return 'This inbox is not running.'
      // Without the cause, which may name the host and the role: health routes are often public.
      return code === 'outside_tx' ? insideTx : `The database did not answer (${code}).`
    },
    fix({ code }) {
      if (code === 'not_running') return 'Call `await inbox.start()`.'
      if (code === 'outside_tx') return ''
      return 'Check that it runs and that DATABASE_URL points to it. The log of the app has the cause.'
    },
  }),
}

/**
 * Every problem of an inbox once: the health, doctor, the console and the metrics list it from here,
 * and alerts notify of it.
 */
export const problemTable = { ...foundByHealth, ...storedProblems }

export const problemCodes: readonly string[] = Object.keys(problemTable)

/** The problems that say the same as a stored one, and more. */
const saidBy: Partial<Record<string, HealthProblemCode>> = {
  oldest_pending: 'nothing_claimed',
  probable_pause: 'deliveries_rejected',
  unknown_secret: 'deliveries_rejected',
}

/** An alert, by its rule and the type, secret, stream or problem that it is about. */
export interface NotifiedCase {
  rule: string
  subject?: string | undefined
}

/**
 * Which of these problems an alert notifies of: the same one, or one that says the same and more.
 * Null if it is none of them, for example because it is over.
 */
export function findNotified(
  codes: readonly string[],
  { rule, subject = '' }: NotifiedCase,
): string | null {
  const ruled = rule === 'paused' ? 'paused_long' : rule
  const code = rule === 'problem' ? subject : ruled
  return [code, saidBy[code]].find((one) => one !== undefined && codes.includes(one)) ?? null
}

/** The problems and warnings that the table finds. */
export function findProblems(seen: Observations): Record<'problems' | 'warnings', HealthProblem[]> {
  const found = { problems: [] as HealthProblem[], warnings: [] as HealthProblem[] }
  const add = (code: string, severity: 'problem' | 'warning', message: string) => {
    if (isProblemCode(code)) found[`${severity}s`].push({ code, message })
  }
  for (const [code, { severity, find }] of Object.entries(foundByHealth)) {
    for (const message of find(seen)) add(code, severity, message)
  }
  const codes = new Set([...found.problems, ...found.warnings].map(({ code }) => code))
  for (const [code, { severity, find, isOptional }] of Object.entries(storedProblems)) {
    const other = saidBy[code]
    if (!seen.stored || isOptional || (other && codes.has(other))) continue
    const cases = find(seen.stored)
    for (const fix of new Set(cases.map((one) => one.fix))) {
      const messages = cases.filter((one) => one.fix === fix).map(({ message }) => message)
      add(code, severity, [...messages, fix].join(' '))
    }
  }
  return found
}

function isProblemCode(code: string): code is HealthProblemCode {
  return Object.hasOwn(problemTable, code)
}

function listOf<Found>(found: Found | undefined): Found[] {
  return found === undefined ? [] : [found]
}

function textOf(error: unknown): string {
  return isError(error) ? error.message : ''
}

function skewOf({ ahead, behind }: NonNullable<Observations['clock']>) {
  const seconds = Math.round(Math.max(ahead, behind) / 1_000)
  return seconds >= skewLimitSeconds
    ? [{ seconds, way: ahead > behind ? 'ahead of' : 'behind' }]
    : []
}

function unreadParts({ unread = [], explain }: Observations, isOfRow: (part: string) => boolean) {
  return unread
    .filter(({ part }) => isOfRow(part))
    .map(({ part, error }) => ({ part, ...explain(error) }))
}

function namesOf(slow: JobCounts['slow']): string {
  return slow
    .map(({ type, eventId, since }) => `${type} (event ${eventId}, since ${since})`)
    .join(', ')
}

const pollerFixes: Readonly<Record<string, string>> = {
  unauthorized: 'Replace the API key, and restart the poller.',
  forbidden: 'Restore Pro for the account of the API key. The poller tries again each hour.',
  invalid_request: 'Correct the filter of the poller, and restart it.',
  not_found: 'Check the base URL of the client. The poller tries again each hour.',
}

function fixOfPoller(code: string | null): string {
  return pollerFixes[code ?? ''] ?? 'Check the warnings of the poller. It tries again each hour.'
}
