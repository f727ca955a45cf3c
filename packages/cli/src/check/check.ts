import type { Target } from './target.ts'
import type { Verdict } from './verdict.ts'

/** One thing that a receiver must do, and how to find out whether it does. */
export interface Check {
  /** Stays the same from version to version. */
  name: string
  title: string
  /** What goes wrong in production where it fails. */
  why: string
  /** How to mend it. */
  fix: string
  run(target: Target): Promise<Verdict>
}

/** Checks that belong together. */
export interface CheckGroup {
  title: string
  /**
   * `gate`: in turn, and where one fails nothing else can be learnt. `together`: side by side.
   * `in_turn`: alone, so that a receiver that falls over is known to have done so in this check.
   */
  pace: 'gate' | 'together' | 'in_turn'
  checks: readonly Check[]
}
