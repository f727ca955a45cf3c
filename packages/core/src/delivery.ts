import type { FeedEvent } from './event/feed-event.ts'
import type { Note } from './event/notes.ts'
import type { Accepted, Quarantined, Reason } from './reasons.ts'

/** One authentic delivery: its signature is valid and its timestamp is within the tolerance. */
export interface Delivery {
  /** The exact bytes that were signed. */
  body: Uint8Array
  /** When the sender signed this attempt. */
  signedAt: Date
  /** Fingerprint of the secret that matched; never the secret. */
  signedBy: string
  receivedAt: Date
  /** The few headers that are stored; none of them is signed. */
  headers: Readonly<Record<string, string>>
  /**
   * Set if the holder of a secret marked it as a test of `feed-receiver check` or `doctor`. Then it is
   * not put into quarantine for an operator, and does not count as a push of the service.
   */
  isCheck?: true
}

export interface EventDelivery extends Delivery {
  event: FeedEvent
  notes: Note[]
  /**
   * Set if an unsigned header contradicts the signed body. If the event is stored, the delivery is
   * a duplicate. Otherwise put it into quarantine with this reason.
   */
  doubt: Extract<Quarantined, 'id_mismatch'> | null
}

export interface UnreadableDelivery extends Delivery {
  /** Why the body could not be read; names members, never quotes the body. */
  detail: string
  /** The id in the body, if it has a usable one. */
  eventId: string | null
}

/** The inbox interface of a receiver. Both calls resolve only when the delivery is durable. */
export interface DeliveryInbox {
  /**
   * Stores a new event and queues its job in one transaction. A known id with the same bytes is a
   * duplicate. A known id with other bytes goes into quarantine as `id_conflict`. Resolves with the
   * reason if the delivery is quarantined.
   */
  accept(delivery: EventDelivery): Promise<Accepted | { quarantined: Quarantined }>
  /** Stores an unreadable delivery for an operator; the same bytes and reason are stored once. */
  quarantine(delivery: UnreadableDelivery, reason: Quarantined): Promise<void>
  /**
   * Called with every answer of the receiver, like `observe`, for example to count rejections. It
   * must return at once: the receiver does not wait for it, and ignores its errors.
   */
  answered?(observation: Observation): void
}

/** Facts that the receiver collects while it processes a delivery. */
export interface Findings {
  /** Unusual facts that were no reason to reject the delivery. */
  notes: Note[]
  eventId?: string
  eventType?: string
  signedAt?: Date
  /** How far the receiver's clock is ahead of the signature, in seconds; negative if behind. */
  skewSeconds?: number
  /** Fingerprint of the secret that matched. */
  signedBy?: string
  bodyBytes?: number
  /** The `Retry-After` of a delivery that was rejected as `overloaded`. */
  retryAfterSeconds?: number
  /** Why an authentic body is not an event. */
  detail?: string
  /** Set if the holder of a secret marked it as a test; an inbox does not count its rejection. */
  isCheck?: true
  /** The error that the inbox or the secret provider threw. */
  error?: unknown
}

/** The outcome of one delivery. It holds no secret, no signature and no part of a body. */
export interface Observation extends Findings {
  reason: Reason
  status: number
  durationMs: number
}
