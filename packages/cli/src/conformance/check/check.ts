import type { Run } from './verdict.ts'

/**
 * `gate`: in turn, and if one fails, the others do not run. `together`: concurrently. `in_turn`:
 * alone, so that a crash of the receiver belongs to this check.
 */
export type Pace = 'gate' | 'together' | 'in_turn'

/** One check of a receiver. */
export interface Check {
  /** Stable across versions. */
  name: string
  group: string
  pace: Pace
  title: string
  /** The consequence in production if the check fails. */
  why: string
  fix: string
  run: Run
}

/** The checks of a group, by name. */
export function group(
  name: string,
  pace: Pace,
  rows: Record<string, Pick<Check, 'title' | 'why' | 'fix' | 'run'>>,
): Check[] {
  return Object.entries(rows).map(([own, row]) => ({ name: own, group: name, pace, ...row }))
}
