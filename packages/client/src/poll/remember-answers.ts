import type { Observation } from '@feed-receiver/core'

/** One answer that a receiver gave. */
export interface GivenAnswer {
  status: number
  reason: string
  at: Date
}

export interface RememberedAnswers {
  /** For `createReceiver({ observe })`. */
  observe(observation: Observation): void
  /** For `createPoller({ lastAnswer })`. */
  last(): GivenAnswer | null
}

/**
 * Remembers the last answer of a receiver, so that a pause of its destination can be explained. What
 * has no well-formed signature came from somebody else, and is passed over.
 */
export function rememberAnswers(): RememberedAnswers {
  let answer: GivenAnswer | null = null
  return {
    observe({ status, reason }) {
      if (reason === 'signature_missing' || reason === 'signature_malformed') return
      answer = { status, reason, at: new Date() }
    },
    last: () => answer,
  }
}
