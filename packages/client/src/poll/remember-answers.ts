import type { Observation } from '@feed-receiver/core'

/** One answer of a receiver. */
export interface GivenAnswer {
  status: number
  reason: string
  at: Date
}

export type RememberedAnswers = ReturnType<typeof rememberAnswers>

/**
 * Remembers the last answer of a receiver, to explain a paused destination. It ignores requests
 * without a well-formed signature, because they do not come from the service.
 */
export function rememberAnswers() {
  let answer: GivenAnswer | null = null
  return {
    /** For `createReceiver({ observe })`. */
    observe({ status, reason }: Observation): void {
      if (reason === 'signature_missing' || reason === 'signature_malformed') return
      answer = { status, reason, at: new Date() }
    },
    /** For `createPoller({ lastAnswer })`. */
    last: (): GivenAnswer | null => answer,
  }
}
