import { codeOf, fill } from '../errors.ts'
import json from './health-problems.json' with { type: 'json' }

// Copied, so that no declaration file imports JSON: TypeScript in the user's app rejects that.
const texts = { ...json }

/** A problem, and how to fix it. */
export interface HealthProblem {
  code: HealthProblemCode
  message: string
}

export type HealthProblemCode = Exclude<keyof typeof texts, 'not_running'>

// The code for an inbox that is not running is left out: it has that of a database that is down.
export const problemCodes = Object.keys(texts).filter((code) => code !== 'not_running')

/** The problem with its text if the condition is true. */
export function problemIf(
  isProblem: boolean,
  code: HealthProblemCode,
  values?: Record<string, unknown>,
): HealthProblem[] {
  return isProblem ? [{ code, message: fill(texts[code], values) }] : []
}

/** The problem to report if nothing could be checked. */
export function databaseProblem(error: unknown, code: string): HealthProblem {
  // The embedded database checks its disk before each statement, and says how much is free.
  if (error instanceof Error && codeOf(error) === 'disk_full') {
    return { code: 'disk_full', message: error.message }
  }
  const text = code === 'not_running' ? 'not_running' : 'database_down'
  return { code: 'database_down', message: fill(texts[text], { code }) }
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
