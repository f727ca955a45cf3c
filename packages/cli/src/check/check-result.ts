import type { Verdict } from './verdict.ts'

/** What one check has found, and what it was. */
export interface CheckResult extends Verdict {
  name: string
  group: string
  title: string
  why: string
  fix: string
  durationMs: number
  /** The check whose failure left nothing to learn from this one, or `deadline`. */
  blockedBy?: string
}
