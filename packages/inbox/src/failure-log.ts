import { codeOf } from './errors.ts'
import { isInFailedTx } from './sql-states.ts'

/** A step of an event's way that the database can make fail. */
export type Step = 'accept' | 'quarantine' | 'accept_page' | 'claim' | 'finish'

/** The failures of one step since its last success. */
export interface StepFailures {
  step: Step
  count: number
  /** When the first and the last one failed. */
  since: Date
  lastAt: Date
  /** Of the last one. */
  error: unknown
}

/**
 * Remembers what has failed in this process since it last succeeded. In memory, because a database
 * that rejects writes cannot store it.
 */
export interface FailureLog {
  /** Passes on the result of a step, and remembers how it ended. */
  watch<T>(step: Step, doing: Promise<T>): Promise<T>
  succeeded(step: Step): void
  failed(step: Step, error: unknown): void
  /** The failures of a step; undefined if its last try succeeded. */
  of(step: Step): StepFailures | undefined
}

export function createFailureLog(): FailureLog {
  const failing = new Map<Step, StepFailures>()
  return {
    async watch(step, doing) {
      try {
        const result = await doing
        succeeded(step)
        return result
      } catch (error) {
        failed(step, error)
        throw error
      }
    },
    succeeded,
    failed,
    of: (step) => failing.get(step),
  }

  function succeeded(step: Step): void {
    failing.delete(step)
  }

  function failed(step: Step, error: unknown): void {
    if (isNoFault(error)) return
    const lastAt = new Date()
    const known = failing.get(step)
    // All deliveries of a group fail with the error of one statement.
    if (known?.error === error) return
    const { count = 0, since = lastAt } = known ?? {}
    failing.set(step, { step, count: count + 1, since, lastAt, error })
  }
}

/** Another process works on, or the caller made a mistake: the database does its part. */
function isNoFault(error: unknown): boolean {
  return noFaults.has(codeOf(error) ?? '') || isInFailedTx(error)
}

const noFaults: ReadonlySet<string> = new Set([
  'lease_lost',
  'claim_lost',
  'transaction_control',
  'bad_option',
  'not_running',
])
