import { isError } from '@feed-receiver/core'
import { codeOf, fill, say } from '../errors.ts'

/** A problem, and how to fix it. */
export interface HealthProblem {
  code: HealthProblemCode
  message: string
}

export type HealthProblemCode = keyof typeof problemTable

interface ProblemText {
  /** Whether it makes `ok` false. */
  severity: 'problem' | 'warning'
  message: string
  fix: string
}

/** Every problem once: health, alerts, doctor and metrics take it from here. */
export const problemTable = {
  deliveries_rejected: {
    severity: 'warning',
    message:
      'The feed is probably paused: the receiver answered {status} ({reason}) at {lastAt}. {evidence}.',
    fix: '{fix}',
  },
  store_failed: {
    severity: 'warning',
    message: '{what} could not be stored {times}, the last time at {lastAt}. {reason}',
    fix: '{fix}',
  },
  store_failing: {
    severity: 'problem',
    message: '{what} get 503{failed}. {reason}',
    fix: '{fix}',
  },
  page_failing: {
    severity: 'problem',
    message: 'Pulled events could not be stored {times} since {since}, without a success. {reason}',
    fix: '{fix}',
  },
  pull_suspended: {
    severity: 'problem',
    message: 'The poller is suspended ({code}), so nothing of {stream} was pulled since {since}.',
    fix: "{fix} If you have removed this poller, run: delete from {schema}.poll_stream where source = '{source}' and stream = '{stream}'.",
  },
  database_down: {
    severity: 'problem',
    message: 'The database did not answer ({code}).',
    fix: 'Check that it runs and that DATABASE_URL points to it. The log of the app has the cause.',
  },
  pool_exhausted: {
    severity: 'problem',
    message:
      'Handlers or other code hold every connection of the pool, so the health could not be read. Deliveries are stored on other connections.',
    fix: 'Lower `concurrency`, shorten the transactions of handlers, or raise `maxConnections` of the database.',
  },
  tables_unreadable: {
    severity: 'problem',
    message: 'The {what} could not be read. {reason}',
    fix: '{fix}',
  },
  side_unreadable: {
    severity: 'warning',
    message:
      'The {what} could not be read, so problems that they would show are not reported. {reason}',
    fix: '{fix}',
  },
  queue_down: {
    severity: 'problem',
    message: 'The tables of the queue could not be read. {reason}',
    fix: '{fix}',
  },
  clock_skew: {
    severity: 'problem',
    message: "The clock of this process is {seconds} s {way} the database's.",
    fix: 'Synchronize both with NTP: a delivery more than {tolerance} s from this clock is rejected with 503.',
  },
  disk_full: {
    severity: 'problem',
    message: 'The disk of the database is full, so deliveries are rejected with 503.',
    fix: 'Free some space on it.',
  },
  nothing_claimed: {
    severity: 'problem',
    message: 'Entries have been due for more than 60 s, and no worker claims them.',
    fix: 'Check that a process calls `inbox.work(handlers)`, and restart it if it does.',
  },
  handlers_hung: {
    severity: 'problem',
    message:
      'Every running handler has run for more than 60 s, and entries wait for more than 60 s: {named}.',
    fix: 'If they hang, pass `signal` to the calls they make, and restart the worker; else raise `concurrency`.',
  },
  handlers_slow: {
    severity: 'warning',
    message: 'Handlers have run for more than 60 s: {named}.',
    fix: 'An attempt times out after 15 minutes. If they hang, pass `signal` to the calls they make.',
  },
  claim_failing: {
    severity: 'problem',
    message: 'The worker of this process could not claim entries {times} since {since}. {reason}',
    fix: '{fix}',
  },
  finish_failing: {
    severity: 'problem',
    message:
      'Handlers have succeeded, and their events could not be marked as done {times} since {since}: each was rolled back and is handled again. {reason}',
    fix: '{fix}',
  },
  claims_abandoned: {
    severity: 'problem',
    message:
      'The heartbeats of {abandoned} claimed entries have been overdue for more than 60 s, and the queue has not retried them.',
    fix: 'Restart the processes of this inbox.',
  },
  paused_long: {
    severity: 'warning',
    message:
      '{what} has been paused for more than a day, since {since} by {by}: {reason}. New events are stored and wait;',
    fix: 'resume handling with feed-receiver inbox resume{how}, or inbox.resume().',
  },
} as const satisfies Record<string, ProblemText>

export const problemCodes = Object.keys(problemTable)

/** The problem with its text if the condition is true. */
export function problemIf(
  isProblem: boolean,
  code: HealthProblemCode,
  values?: Record<string, unknown>,
): HealthProblem[] {
  const { message, fix } = problemTable[code]
  return isProblem ? [{ code, message: fill(`${message} ${fix}`, values).trim() }] : []
}

const notRunning = 'This inbox is not running. Call `await inbox.start()`.'

/** The problem to report if nothing could be checked. */
export function databaseProblem(error: unknown, code: string): HealthProblem[] {
  // The embedded database checks its disk before each statement, and says how much is free.
  if (isError(error) && codeOf(error) === 'disk_full') {
    return [{ code: 'disk_full', message: error.message }]
  }
  if (code === 'not_running') return [{ code: 'database_down', message: notRunning }]
  if (code === 'outside_tx') return [{ code: 'database_down', message: say('inside_tx') }]
  // Without the cause, which may name the host and the role: health routes are often public.
  return problemIf(true, 'database_down', { code })
}

/** The receiver's tolerance in seconds. It answers deliveries outside of it with 503. */
const tolerance = 300
/** Less than the tolerance, because a delivery takes some time to arrive. */
const skewLimitSeconds = 240

/** Compares our clock with the database's, read between two readings of ours; in milliseconds. */
export function clockProblems(theirs: number, sent: number, received: number): HealthProblem[] {
  const ahead = sent - theirs
  const behind = theirs - received
  const seconds = Math.round(Math.max(ahead, behind) / 1_000)
  const way = ahead > behind ? 'ahead of' : 'behind'
  return problemIf(seconds >= skewLimitSeconds, 'clock_skew', { seconds, way, tolerance })
}
