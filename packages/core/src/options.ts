import type { DeliveryInbox, Observation } from './delivery.ts'
import { FeedReceiverError } from './errors.ts'
import type { SecretProvider } from './signature/keyring.ts'
import type { SecretList } from './signature/secret.ts'
import type { Reason } from './reasons.ts'

export interface ReceiverOptions {
  /** The signing secret, whole; or a list of secrets; or a function that returns either. */
  secrets: SecretList | SecretProvider
  /** Where events are stored: `createInbox()` of `@feed-receiver/inbox`, or your own inbox. */
  inbox: DeliveryInbox
  /**
   * The clock skew tolerance: how far, in seconds, the signature's timestamp may be from `now`, in
   * the past or in the future.
   * @default 300
   */
  toleranceSeconds?: number
  /**
   * The largest accepted body, in bytes.
   * @default 1_048_576
   */
  maxBodyBytes?: number
  /**
   * How many authentic deliveries may be stored at once; more are rejected with 429.
   * @default 256
   */
  maxInFlight?: number
  /**
   * How many bodies may be incomplete at once. At the limit the receiver rejects the oldest with
   * 503, so that senders who never finish cannot block the others.
   * @default 256
   */
  maxUnfinishedBodies?: number
  /**
   * The minimum pace of a body, averaged since its start and checked after the first 3 seconds. The
   * receiver rejects a slower one with 503.
   * @default 1_024
   */
  minBodyBytesPerSecond?: number
  /**
   * Time limit for reading and storing a delivery; the service times out after 10 seconds.
   * @default 8_000
   */
  deadlineMs?: number
  /**
   * The age at which secrets from a provider are refreshed, in seconds: in the background with the
   * next delivery, or before it is verified if they are twice as old by then.
   * @default 60
   */
  secretsMaxAgeSeconds?: number
  /** Statuses that override the default table, by reason. */
  statuses?: Partial<Record<Reason, number>>
  /**
   * Called with every answer, for metrics and logs. The receiver does not wait for it, and ignores
   * its errors.
   * @default warns of rejections: the first for each reason, then at most one a minute
   */
  observe?: (observation: Observation) => unknown
  /**
   * The clock, in milliseconds since 1970.
   * @default Date.now
   */
  now?: () => number
}

/**
 * Rejects what cannot store deliveries, because all of them would be rejected later.
 *
 * @throws FeedReceiverError `bad_option`.
 */
export function checkInbox(inbox: DeliveryInbox | undefined): void {
  // Only TypeScript ensures it.
  if (typeof inbox?.accept === 'function') return
  throw new FeedReceiverError(
    'bad_option',
    'createReceiver needs an inbox, such as createInbox() of @feed-receiver/inbox.',
  )
}

/**
 * Rejects a limit that would disable its check.
 *
 * @throws FeedReceiverError `bad_option`, which names the option.
 */
export function checkLimits(limits: Record<string, number>): void {
  for (const [name, value] of Object.entries(limits)) {
    if (Number.isFinite(value) && value > 0) continue
    throw new FeedReceiverError('bad_option', `${name} must be a number above 0, not ${value}.`)
  }
}
