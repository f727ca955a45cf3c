import { setMaxListeners } from 'node:events'
import type { FeedEvent } from '@feed-receiver/core'
import { systemClock, type Clock } from '@feed-receiver/core/node'
import { Agent } from 'undici'
import { makeAttempt, type AttemptRecord, type Delivery } from './attempt/attempt.ts'
import { checkTarget } from './target/check-target.ts'
import { createConnector, type ConnectRules } from './target/create-connector.ts'
import { deliverUntilSettled, type Outcome } from './attempt/deliver.ts'
import { type DeliveryHeaders, readEvent } from './attempt/delivery-request.ts'
import { SenderError } from './errors.ts'
import { abortedError } from './answer/failure.ts'
import { maxAttempts as documentedAttempts, type RetryDelayOptions } from './answer/retry-delay.ts'
import { readSecret, type SecretRotation } from './attempt/signing-secret.ts'

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

export interface Sender {
  /**
   * Delivers an event, or exact bytes, with the service's retries; a receiver's failures are in the
   * outcome. An event is written as JSON once, and all attempts send the same bytes (R164).
   *
   * @throws SenderError where the call itself is wrong; see its codes.
   */
  deliver(event: FeedEvent | Uint8Array, options: DeliverOptions): Promise<Outcome>
  /**
   * Makes one attempt and leaves the next one to the caller, who finds its delay in the record.
   *
   * @throws SenderError where the call itself is wrong; see its codes.
   */
  attempt(event: FeedEvent | Uint8Array, options: AttemptOptions): Promise<AttemptRecord>
  /** Breaks off all deliveries, which end as `aborted`, and closes the connections. Idempotent. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Makes a sender that signs, delivers and retries as the service does (R159–R168, R233–R236).
 *
 * @throws SenderError `invalid_secret`, and RangeError for a deadline that no timer can hold.
 */
export function createSender({
  secret,
  clock = systemClock,
  signingClock = Date.now,
  baseUrl = 'https://feed.example.com',
  userAgent = `FeedWebhook/1.0 (+${baseUrl.replace(/\/+$/, '')}/developers)`,
  deadlineMs = 10_000,
  allowLocal = true,
  lookup,
  jitter = () => 0,
}: SenderOptions): Sender {
  const ownSecretAt = readSecret(secret)
  if (!(deadlineMs > 0 && deadlineMs < 2 ** 31)) {
    throw new RangeError('deadlineMs must be more than 0 and less than 2 ** 31.')
  }
  // Later than the deadline, which alone decides; this frees what still connects after it.
  const connect = createConnector({ lookup, allowLocal }, deadlineMs + 1000)
  // Undici's own timeouts are idle times, and coarse ones; the deadline covers them.
  const dispatcher = new Agent({ connect, headersTimeout: 0, bodyTimeout: 0 })
  const stopping = new AbortController()
  const closing = stopping.signal
  // One listener for each delivery that sleeps.
  setMaxListeners(0, closing)
  const clocks = { clock, signingClock, jitter }
  const settings = { ...clocks, userAgent, deadlineMs, dispatcher, closing }
  let closed: Promise<void> | undefined
  let lastTarget: { to: string; target: URL } | undefined

  return {
    async deliver(event, options) {
      return await deliverUntilSettled(prepare(event, options), settings, options.onAttempt)
    },
    async attempt(event, options) {
      const { attempt = 1 } = options
      checkCount('attempt', attempt)
      return await makeAttempt(prepare(event, options), attempt, settings)
    },
    close,
    [Symbol.asyncDispose]: close,
  }

  function prepare(event: FeedEvent | Uint8Array, options: DeliveryOptions): Delivery {
    const { to, id, headers, signal, once, maxAttempts = documentedAttempts } = options
    const secretAt = options.secret === undefined ? ownSecretAt : readSecret(options.secret)
    const target = readTarget(to)
    const { eventId, isTest, body } = readEvent(event, id)
    checkCount('maxAttempts', maxAttempts)
    if (closed) throw new SenderError('sender_closed', 'This sender is closed. Create another.')
    const lastAttempt = (once ?? isTest) ? 1 : maxAttempts
    // Member by member: a spread here cost 6 µs of the 100 that a delivery takes (Node 20.20.2).
    return { eventId, isTest, body, target, secretAt, lastAttempt, headers, signal }
  }

  /** Most deliveries of a sender go to the same place, so the last one is remembered. */
  function readTarget(to: string | URL): URL {
    if (lastTarget?.to === to) return lastTarget.target
    const target = checkTarget(to, { allowLocal })
    if (typeof to === 'string') lastTarget = { to, target }
    return target
  }

  function close(): Promise<void> {
    stopping.abort()
    // What is in flight fails with this.
    closed ??= dispatcher.destroy(abortedError())
    return closed
  }
}

function checkCount(name: string, value: number): void {
  if (Number.isInteger(value) && value > 0) return
  throw new RangeError(`${name} must be a whole number from 1.`)
}
