import type { Database } from '@feed-receiver/database'
import { finishAttempts, type AttemptOutcome } from './finish-attempts.ts'

/** Keeps outcomes, many in one statement: what comes while one is written waits for the next. */
export interface OutcomeWriter {
  /** Resolves once it is kept. */
  write(outcome: AttemptOutcome): Promise<void>
}

export function createOutcomeWriter(database: Database): OutcomeWriter {
  let waiting: AttemptOutcome[] = []
  let next: Promise<void> | undefined
  let last: Promise<void> = Promise.resolve()

  return {
    write(outcome) {
      waiting.push(outcome)
      next ??= last.then(writeWaiting)
      return next
    },
  }

  function writeWaiting(): Promise<void> {
    const outcomes = waiting
    waiting = []
    next = undefined
    const written = finishAttempts(database, outcomes)
    last = written.catch(() => undefined)
    return written
  }
}
