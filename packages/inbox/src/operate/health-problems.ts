import { codeOf, fill } from '../errors.ts'
import json from './health-problems.json' with { type: 'json' }

// A copy, so that no declaration imports JSON, which the TypeScript of a user refuses.
const texts = { ...json }

/** One thing that is wrong, and what to do about it. */
export interface HealthProblem {
  code: HealthProblemCode
  message: string
}

export type HealthProblemCode = Exclude<keyof typeof texts, 'not_running'>

// The inbox that is not running has the code of a database that is down.
export const problemCodes = Object.keys(texts).filter((code) => code !== 'not_running')

/** A problem with its text, if that is what it is. */
export function problemIf(
  isProblem: boolean,
  code: HealthProblemCode,
  values?: Record<string, unknown>,
): HealthProblem[] {
  return isProblem ? [{ code, message: fill(texts[code], values) }] : []
}

/** Where nothing could be looked at. */
export function databaseProblem(error: unknown, code: string): HealthProblem {
  // The embedded database looks at its disk before each statement, and says how much is free there.
  if (error instanceof Error && codeOf(error) === 'disk_full') {
    return { code: 'disk_full', message: error.message }
  }
  const text = code === 'not_running' ? 'not_running' : 'database_down'
  return { code: 'database_down', message: fill(texts[text], { code }) }
}

/** What the receiver allows; it answers deliveries outside of it with 503. */
const tolerance = 300
/** Less than that, since a delivery takes some time to arrive. */
const skewLimitSeconds = 240

/** Judges our clock by the database's, read between two looks at ours; all in milliseconds. */
export function clockProblems(theirs: number, sent: number, received: number): HealthProblem[] {
  const ahead = sent - theirs
  const behind = theirs - received
  const seconds = Math.round(Math.max(ahead, behind) / 1_000)
  const way = ahead > behind ? 'ahead of' : 'behind'
  return problemIf(seconds >= skewLimitSeconds, 'clock_skew', { seconds, way, tolerance })
}
