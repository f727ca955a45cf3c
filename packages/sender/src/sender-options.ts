import type { Clock } from '@feed-receiver/core/node'
import type { AttemptRecord } from './attempt/attempt.ts'
import type { ConnectRules } from './target/create-connector.ts'
import type { DeliveryHeaders } from './attempt/delivery-headers.ts'
import type { RetryDelayOptions } from './answer/retry-delay.ts'
import type { SecretRotation } from './attempt/signing-secret.ts'

export interface SenderOptions
  extends Pick<ConnectRules, 'lookup'>, Pick<RetryDelayOptions, 'jitter'> {
  /**
   * The whole signing secret, prefix `feed_whsec_` included (R197, R198), or two during a rotation.
   */
  secret: string | SecretRotation
  /**
   * Decides when attempts are due, which secret signs, and what `at` in the records says.
   * @default systemClock
   */
  clock?: Clock | undefined
  /**
   * Decides `t`, in epoch milliseconds; real time lets a receiver accept what a virtual week sends.
   * @default Date.now
   */
  signingClock?: (() => number) | undefined
  /**
   * Base address of the service, for the User-Agent.
   * @default 'https://feed.example.com'
   */
  baseUrl?: string | undefined
  /**
   * The whole User-Agent (R167).
   * @default `FeedWebhook/1.0 (+${baseUrl}/developers)`
   */
  userAgent?: string | undefined
  /**
   * Real time from the start of an attempt, DNS included, until the head of the answer (R233).
   * @default 10_000
   */
  deadlineMs?: number | undefined
  /**
   * Whether plain http and addresses of this machine and its networks are allowed, for development.
   * Set it to false where others choose the address: public https only, as the service has it.
   * @default true
   */
  allowLocal?: boolean | undefined
}

export interface DeliveryOptions {
  /** The receiver's address; see `allowLocal` for what is allowed. */
  to: string | URL
  /** The id for headers and outcome; needed where the event is bytes without a readable one. */
  id?: string | undefined
  /**
   * Signs this delivery.
   * @default the sender's
   */
  secret?: SenderOptions['secret'] | undefined
  /** Replaces and removes headers, to make faults. */
  headers?: DeliveryHeaders | undefined
  /**
   * The number of the attempt after which none follows (R234).
   * @default maxAttempts, 8
   */
  maxAttempts?: number | undefined
  /**
   * Whether the first attempt is the only one.
   * @default true for a `destination_test` (R212), false for all else
   */
  once?: boolean | undefined
  /** Breaks off what is under way, asleep or in flight. */
  signal?: AbortSignal | undefined
}

export interface AttemptOptions extends DeliveryOptions {
  /**
   * The number of this attempt, which `nextDelayMs` in its record is counted from.
   * @default 1
   */
  attempt?: number | undefined
}

export interface DeliverOptions extends DeliveryOptions {
  /**
   * Gets each record as its attempt is finished, and is awaited; what it throws ends the delivery.
   */
  onAttempt?: ((record: AttemptRecord) => void | Promise<void>) | undefined
}
