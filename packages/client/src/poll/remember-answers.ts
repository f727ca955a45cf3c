import type { Observation } from '@feed-receiver/core'
import { neverSentReasons, warnOfRejections } from '@feed-receiver/core/internal'

/** One answer of a receiver. */
export interface GivenAnswer {
  status: number
  reason: string
  at: Date
}

/** The last answer of a receiver. Both functions also work without the object. */
export interface RememberedAnswers {
  /** For `createReceiver({ observe })`. */
  observe: (seen: Observation) => unknown
  /** For `createPoller({ lastAnswer })`. */
  last: () => GivenAnswer | null
}

/** Answers to scanners and health checks. The service signs every delivery, and sends only POST. */
const toStrangers = new Set([...neverSentReasons, 'signature_missing', 'signature_malformed'])

/**
 * Remembers the last answer of a receiver, to explain a paused destination. It ignores requests of
 * another method than POST and those without a well-formed signature, because they do not come from
 * the service.
 *
 * `observe` is called with every answer. By default it warns of rejections, as a receiver without
 * an `observe` of its own does.
 */
export function rememberAnswers(
  observe: (seen: Observation) => unknown = warnOfRejections(),
): RememberedAnswers {
  let answer: GivenAnswer | null = null
  return {
    observe(seen) {
      const { status, reason } = seen
      if (!toStrangers.has(reason)) answer = { status, reason, at: new Date() }
      return observe(seen)
    },
    last: () => answer,
  }
}
