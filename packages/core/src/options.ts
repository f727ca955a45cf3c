import type { DeliveryInbox, Observation } from './delivery.ts'
import { FeedReceiverError } from './errors.ts'
import type { SecretProvider } from './signature/keyring.ts'
import type { SecretList } from './signature/secret.ts'
import type { Reason } from './reasons.ts'

export interface ReceiverOptions {
  /** The signing secret to accept, whole; or a list; or a function that returns either (R203). */
  secrets: SecretList | SecretProvider
  /** Where events go: `createInbox()` of `@feed-receiver/inbox`, or anything of this shape. */
  inbox: DeliveryInbox
  /**
   * How far the time of a signature may be from our clock, on either side (R173).
   * @default 300
   */
  toleranceSeconds?: number
  /**
   * The largest body that is taken.
   * @default 1_048_576
   */
  maxBodyBytes?: number
  /**
   * How many authentic deliveries may be stored at once; more are answered 429 (R238).
   * @default 256
   */
  maxInFlight?: number
  /**
   * How many bodies may be incomplete at once. At the limit the oldest is answered 503, so that
   * senders who never finish cannot hold up those who do.
   * @default 256
   */
  maxUnfinishedBodies?: number
  /**
   * The least pace of a body, averaged since its start and checked every 3 seconds. A slower one is
   * answered 503.
   * @default 1_024
   */
  minBodyBytesPerSecond?: number
  /**
   * Time for body and store together; the service gives up after 10 seconds (R168).
   * @default 8_000
   */
  deadlineMs?: number
  /**
   * How old provided secrets may grow before the provider is asked again.
   * @default 60
   */
  secretsMaxAgeSeconds?: number
  /** Answers that differ from the table, by reason. */
  statuses?: Partial<Record<Reason, number>>
  /**
   * Called with every answer, for metrics and logs. Nobody waits for it, and what it throws is ignored.
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
 * Refuses a limit that would switch its check off.
 *
 * @throws FeedReceiverError `bad_option`, which names the option.
 */
export function checkLimits(limits: Record<string, number>): void {
  for (const [name, value] of Object.entries(limits)) {
    if (Number.isFinite(value) && value > 0) continue
    throw new FeedReceiverError('bad_option', `${name} must be a number above 0, not ${value}.`)
  }
}
