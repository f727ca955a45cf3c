import type { Observation } from '@feed-receiver/core'

/** One answer that a receiver gave. */
export interface GivenAnswer {
  status: number
  reason: string
  at: Date
}

export type RememberedAnswers = ReturnType<typeof rememberAnswers>

/**
 * Remembers the last answer of a receiver, so that a pause of its destination can be explained. What
 * has no well-formed signature came from somebody else, and is passed over.
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
