import type { FeedEvent } from './event/feed-event.ts'
import type { Note } from './event/notes.ts'
import type { Accepted, Quarantined, Reason } from './reasons.ts'

/** One authentic delivery: its signature held, and its time was within the window. */
export interface Delivery {
  /** The exact bytes that were signed. */
  body: Uint8Array
  /** When the sender signed this attempt. */
  signedAt: Date
  /** Fingerprint of the secret that matched; never the secret (R204). */
  signedBy: string
  receivedAt: Date
  /** The few headers worth keeping; none of them is signed. */
  headers: Readonly<Record<string, string>>
}

export interface EventDelivery extends Delivery {
  event: FeedEvent
  notes: Note[]
  /**
   * Set where the event may only be taken for a duplicate, since an unsigned part of the delivery
   * contradicts it: one that is not known yet goes into quarantine under this reason.
   */
  doubt: Extract<Quarantined, 'id_mismatch'> | null
}

export interface UnreadableDelivery extends Delivery {
  /** Why it could not be read; names members, never quotes the body. */
  detail: string
  /** The id in the body, where there is a usable one. */
  eventId: string | null
}

/** What a receiver needs of an inbox. Both calls resolve only when the delivery is durable. */
export interface DeliveryInbox {
  /**
   * Stores an event that is not known yet, and queues its work, both or neither. An id that is known
   * with the same bytes is a duplicate; with other bytes it goes into quarantine as `id_conflict`.
   * Quarantine answers with its reason.
   */
  accept(delivery: EventDelivery): Promise<Accepted | { quarantined: Quarantined }>
  /** Keeps an unreadable delivery for an operator; the same bytes for the same reason only once. */
  quarantine(delivery: UnreadableDelivery, reason: Quarantined): Promise<void>
  /**
   * Called with every answer of the receiver, beside `observe`, for example to count rejections. It
   * must return at once. The receiver waits for nothing here, and ignores what it throws.
   */
  answered?(observation: Observation): void
}

/** What is found out about a delivery on its way through the receiver. */
export interface Findings {
  /** What was out of the ordinary, and no reason to refuse. */
  notes: Note[]
  eventId?: string
  eventType?: string
  signedAt?: Date
  /** How far the receiver's clock is ahead of the signature, in seconds; negative if behind. */
  skewSeconds?: number
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
