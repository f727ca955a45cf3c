import type { Delivery, Target } from './target.ts'
import type { Judge, Verdict } from './verdict.ts'

interface Advice {
  title: string
  /** What goes wrong in production if the check fails. */
  why: string
  fix: string
}

/** Sends one delivery, or `each` of several at the same time, and judges the answers. */
interface Exchange extends Advice {
  /** @default an authentic `destination_test` */
  send?: Delivery
  each?: Record<string, Delivery>
  /** @default accepted */
  expect?: Judge
}

/** What one delivery cannot tell. */
interface Procedure extends Advice {
  run: (target: Target) => Promise<Verdict>
}

export type Check = Exchange | Procedure

/** Checks by name; the names stay the same from version to version. */
export type Checks = Record<string, Check>

/**
 * `gate`: in turn, and if one fails, the others say nothing. `together`: side by side. `in_turn`:
 * alone, so that a receiver that crashes has crashed in this check.
 */
export type Pace = 'gate' | 'together' | 'in_turn'

/** What one check has found, and what it was. */
export interface CheckResult extends Advice, Verdict {
  name: string
  group: string
  durationMs: number
  /** The check whose failure left nothing to learn from this one, or `deadline`. */
  blockedBy?: string
}
