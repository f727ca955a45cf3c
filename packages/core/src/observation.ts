import type { Note } from './event/notes.ts'
import type { Reason } from './reasons.ts'

/** What is found out about a delivery on its way through the receiver. */
export interface Findings {
  /** What was out of the ordinary, and no reason to refuse. */
  notes: Note[]
  eventId?: string
  eventType?: string
  signedAt?: Date
  /** Fingerprint of the secret that matched (R204). */
  signedBy?: string
  bodyBytes?: number
  /** The `Retry-After` of a delivery that was refused as `overloaded`. */
  retryAfterSeconds?: number
  /** Why an authentic body is no event. */
  detail?: string
  /** What the inbox, or the provider of secrets, threw. */
  error?: unknown
}

/** What became of one delivery. It holds no secret, no signature and no part of a body. */
export interface Observation extends Findings {
  reason: Reason
  status: number
  durationMs: number
}
