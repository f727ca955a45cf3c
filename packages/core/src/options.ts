import type { DeliveryInbox } from './delivery.ts'
import { FeedReceiverError } from './errors.ts'
import type { SecretProvider } from './keyring.ts'
import type { Observation } from './observation.ts'
import type { Reason } from './statuses.ts'

export interface ReceiverOptions {
  /** The signing secrets to accept, whole; or a function that gives the ones in use (R203). */
  secrets: readonly (string | undefined)[] | SecretProvider
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
   * How many deliveries may be under way at once; more are answered 429 (R238).
   * @default 256
   */
  maxInFlight?: number
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
  /** Told of every answer, for metrics and logs; nobody waits for it, and what it throws is ignored. */
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
