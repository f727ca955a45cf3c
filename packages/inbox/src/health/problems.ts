import type { AlertInputs } from './alert-inputs.ts'
import { isError } from '@feed-receiver/core/internal'
import { codeOf } from '../errors.ts'
import { insideTx } from '../handle/transactions.ts'
import { failingStores, failingStep, type KnownFailures } from './failing-steps.ts'
import { findPausing } from './find-pause.ts'
import type { CheckedStream } from './check-streams.ts'
import type { JobCounts } from './job-counts.ts'
import { problem } from './problem-row.ts'
import { storedProblems } from './stored-problems.ts'

/** A problem, and how to fix it. */
export interface HealthProblem {
  code: HealthProblemCode
  /** What is wrong and what to do next, in one text. */
  message: string
}

export type HealthProblemCode = keyof typeof problemTable

/** What one look at an inbox has found. A part that could not be read is left out. */
export interface Observations extends KnownFailures {
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

/** The parts without which an inbox cannot work. */
const mainParts = ['entries', 'queue']
/** The receiver's tolerance in seconds. It answers deliveries outside of it with 503. */
const tolerance = 300
/** Less than the tolerance, because a delivery takes some time to arrive. */
const skewLimitSeconds = 240

/** The problems that the health finds, in the order in which they are listed. */
const foundByHealth = {
  deliveries_rejected: problem({
    message:
      'The feed is probably paused: the receiver answered {status} ({reason}) at {lastAt}. {evidence}.',
    detect: ({ stored }: Observations) => stored && findPausing(stored),
  }),
  clock_skew: problem({
    severity: 'problem',
    message: "The clock of this process is {seconds} s {way} the database's.",
    fix: `Synchronize both with NTP: a delivery more than ${tolerance} s from this clock is rejected with 503.`,
    detect: ({ clock }: Observations) => clock && skewOf(clock),
  }),
  disk_full: problem({
    severity: 'problem',
    message: 'The disk of the database is full, so deliveries are rejected with 503.',
    fix: 'Free some space on it.',
    detect(seen: Observations) {
      if (seen.down && codeOf(seen.down.error) === 'disk_full') {
        // The embedded database says how much is free.
        return { message: textOf(seen.down.error), fix: '' }
      }
      return failingStores(seen)?.isDiskFull && {}
    },
  }),
  store_failing: problem({
    severity: 'problem',
    message: '{what} get 503{failed}. {reason}',
    detect: (seen: Observations) => failingStores(seen)?.lasting,
  }),
  store_failed: problem({
    message: '{what} could not be stored {times}, the last time at {lastAt}. {reason}',
    detect: (seen: Observations) => failingStores(seen)?.single,
  }),
  page_failing: problem({
    severity: 'problem',
    message: 'Pulled events could not be stored {times} since {since}, without a success. {reason}',
    detect: (seen: Observations) => failingStep(seen, 'accept_page'),
  }),
  claim_failing: problem({
    severity: 'problem',
    message: 'The worker of this process could not claim entries {times} since {since}. {reason}',
    detect: (seen: Observations) => failingStep(seen, 'claim'),
  }),
  finish_failing: problem({
    severity: 'problem',
    message:
      'Handlers have succeeded, and their events could not be marked as done {times} since {since}: each was rolled back and is handled again. {reason}',
    detect: (seen: Observations) => failingStep(seen, 'finish'),
  }),
  pull_suspended: problem({
    severity: 'problem',
    message:
      'The poller is suspended ({code}), so nothing of {stream} was pulled since {polledAt}.',
    fix: '{pollerFix} If you have removed this poller, run: {forget}.',
    detect: ({ streams = [] }: Observations) =>
      streams.filter(({ trouble }) => trouble === 'suspended').map(describeStream),
  }),
  pull_silent: problem({
    message: 'No poller has read {stream} since {polledAt}, for more than an hour.',
    fix: 'Check that its process runs. If you have removed this poller, run: {forget}.',
    detect: ({ streams = [] }: Observations) =>
      streams.filter(({ trouble }) => trouble === 'silent').map(describeStream),
  }),
  nothing_claimed: problem({
    severity: 'problem',
    message: 'Entries have been due for more than 60 s, and no worker claims them.',
    fix: 'Check that a process calls `inbox.work(handlers)`, and restart it if it does.',
    detect: ({ jobs }: Observations) => jobs?.isIgnored && {},
  }),
  handlers_hung: problem({
    severity: 'problem',
    message:
      'Every running handler has run for more than 60 s, and entries wait for more than 60 s: {names}.',
    fix: 'If they hang, pass `signal` to the calls they make, and restart the worker; else raise `concurrency`.',
    detect: ({ jobs }: Observations) => jobs?.isHung && namesOf(jobs.slow),
  }),
  handlers_slow: problem({
    message: 'Handlers have run for more than 60 s: {names}.',
    fix: 'An attempt times out after 15 minutes. If they hang, pass `signal` to the calls they make.',
    detect: ({ jobs }: Observations) => jobs && !jobs.isHung && namesOf(jobs.slow),
  }),
  claims_abandoned: problem({
    severity: 'problem',
    message:
      'The heartbeats of {abandoned} claimed entries have been overdue for more than 60 s, and the queue has not retried them.',
    fix: 'Restart the processes of this inbox.',
    detect: ({ jobs }: Observations) => jobs && jobs.abandoned > 0 && jobs,
  }),
  tables_unreadable: problem({
    severity: 'problem',
    message: 'The {part} could not be read. {reason}',
    detect: (seen: Observations) => unreadParts(seen, (part) => part === 'entries'),
  }),
  queue_down: problem({
    severity: 'problem',
    message: 'The tables of the queue could not be read. {reason}',
    detect: (seen: Observations) => unreadParts(seen, (part) => part === 'queue'),
  }),
  side_unreadable: problem({
    message:
      'The {part} could not be read, so problems that they would show are not reported. {reason}',
    detect: (seen: Observations) => unreadParts(seen, (part) => !mainParts.includes(part)),
  }),
  pool_exhausted: problem({
    severity: 'problem',
    message:
      'Handlers or other code hold every connection of the pool, so the health could not be read. Deliveries are stored on other connections.',
    fix: 'Lower `concurrency`, shorten the transactions of handlers, or raise `maxConnections` of the database.',
    detect: ({ down }: Observations) => down?.isPoolExhausted && {},
  }),
  database_down: problem({
    severity: 'problem',
    // Without the cause, which may name the host and the role: health routes are often public.
    message: 'The database did not answer ({code}).',
    fix: 'Check that it runs and that DATABASE_URL points to it. The log of the app has the cause.',
    detect({ down }: Observations) {
      if (!down || down.isPoolExhausted || codeOf(down.error) === 'disk_full') return undefined
      const { code } = down
      if (code === 'outside_tx') return { code, message: insideTx, fix: '' }
      if (code !== 'not_running') return { code }
      return { code, message: 'This inbox is not running.', fix: 'Call `await inbox.start()`.' }
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

/** What to do about an open alert that notifies of no listed problem of the health. */
export function fixOfUnlisted({ fix, isOptional }: { fix: string; isOptional: boolean }): string {
  // The health never lists an optional problem, so it says nothing about its end.
  if (isOptional) return fix
  return `${fix} This health check does not find it: it is over, another process sees it, or the app gives its rule other settings.`
}

/** The problems and warnings that the table finds. */
export function findProblems(seen: Observations): Record<'problems' | 'warnings', HealthProblem[]> {
  const found = { problems: [] as HealthProblem[], warnings: [] as HealthProblem[] }
  const add = (code: string, severity: 'problem' | 'warning', message: string) => {
    if (isProblemCode(code)) found[`${severity}s`].push({ code, message })
  }
  for (const [code, { severity, find }] of Object.entries(foundByHealth)) {
    for (const { message, fix } of find(seen)) add(code, severity, `${message} ${fix}`.trim())
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

function textOf(error: unknown): string {
  return isError(error) ? error.message : ''
}

function skewOf({ ahead, behind }: NonNullable<Observations['clock']>) {
  const seconds = Math.round(Math.max(ahead, behind) / 1_000)
  return seconds >= skewLimitSeconds && { seconds, way: ahead > behind ? 'ahead of' : 'behind' }
}

function unreadParts({ unread = [], explain }: Observations, isOfRow: (part: string) => boolean) {
  return unread
    .filter(({ part }) => isOfRow(part))
    .map(({ part, error }) => ({ part, ...explain(error) }))
}

function namesOf(slow: JobCounts['slow']) {
  const names = slow.map(({ type, eventId, since }) => `${type} (event ${eventId}, since ${since})`)
  return slow.length > 0 && { names: names.join(', ') }
}

function describeStream({ row: { stream, code, polledAt }, source, table }: CheckedStream) {
  return {
    stream,
    code: code ?? 'unknown',
    polledAt: polledAt ?? 'the start',
    pollerFix: fixOfStream(code ?? ''),
    forget: `delete from ${table} where source = '${source}' and stream = '${stream.replaceAll("'", "''")}'`,
  }
}

/** What to do about a stream that waits or is suspended, by its code. */
export function fixOfStream(code: string): string {
  return pollerFixes[code] ?? 'Check the warnings of the poller. It tries again each hour.'
}

const pollerFixes: Readonly<Record<string, string>> = {
  rate_limited: 'The poller waits for a rate limit of the service.',
  unavailable: 'The service cannot be reached, or fails. The poller tries again by itself.',
  bad_option: 'The poller has no usable API key. Configure one.',
  quota_exhausted:
    'The monthly quota is used up. Find out what else uses the API key, or ask the service for more.',
  cursor_lost: 'The service rejects its own cursors. Report it to the service.',
  unauthorized: 'Replace the API key, and restart the poller.',
  forbidden: 'Restore Pro for the account of the API key. The poller tries again each hour.',
  invalid_request: 'Correct the filter of the poller, and restart it.',
  not_found: 'Check the base URL of the client. The poller tries again each hour.',
}
