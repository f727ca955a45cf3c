/** One thing that is wrong, and what to do about it. */
export interface HealthProblem {
  code: HealthProblemCode
  message: string
}

export type HealthProblemCode =
  | 'database_down'
  | 'queue_down'
  | 'clock_skew'
  | 'disk_full'
  | 'nothing_claimed'
  | 'claims_abandoned'

export function databaseProblem(error: string): HealthProblem {
  const message =
    error === 'not_running'
      ? 'This inbox is not running. Call `await inbox.start()`.'
      : `The database did not answer (${error}). Check that it runs and that DATABASE_URL names it.`
  return { code: 'database_down', message }
}

export function queueProblem(error: string): HealthProblem {
  const message = `The tables of the queue could not be read (${error}). Call \`await inbox.start()\` again.`
  return { code: 'queue_down', message }
}

/** What the receiver allows; it answers deliveries outside of it with 503. */
const toleranceSeconds = 300
/** Less than that, since a delivery takes some time to arrive. */
const skewLimitSeconds = 240

/** Judges our clock by the database's, read between two looks at ours; all in milliseconds. */
export function clockProblems(theirs: number, sent: number, received: number): HealthProblem[] {
  const ahead = sent - theirs
  const behind = theirs - received
  const seconds = Math.round(Math.max(ahead, behind) / 1_000)
  if (seconds < skewLimitSeconds) return []
  const way = ahead > behind ? 'ahead of' : 'behind'
  const message =
    `The clock of this process is ${seconds} s ${way} the database's. Set both by NTP: a delivery ` +
    `more than ${toleranceSeconds} s from this clock is answered with 503.`
  return [{ code: 'clock_skew', message }]
}

/** The embedded database looks at its disk before each statement, and says how much is free there. */
export function embeddedDiskProblem(error: unknown): HealthProblem | undefined {
  if (!(error instanceof Error && 'code' in error && error.code === 'disk_full')) return undefined
  return { code: 'disk_full', message: error.message }
}

export function diskProblems(isFull: boolean): HealthProblem[] {
  if (!isFull) return []
  const message =
    'The disk of the database is full, so deliveries are answered with 503. Free some of it.'
  return [{ code: 'disk_full', message }]
}

export function jobProblems(isIgnored: boolean, abandoned: number): HealthProblem[] {
  const problems: HealthProblem[] = []
  if (isIgnored) {
    const message =
      'Entries have been due for more than 60 s, and no worker claims them. See that a process ' +
      'calls `inbox.work(handlers)`, and restart it if it does.'
    problems.push({ code: 'nothing_claimed', message })
  }
  if (abandoned > 0) {
    const message =
      `${abandoned} claimed entries have shown no sign of life for more than 60 s too long, and ` +
      'nobody took them back. Restart the processes of this inbox.'
    problems.push({ code: 'claims_abandoned', message })
  }
  return problems
}
