import { setMaxListeners } from 'node:events'
import type { FeedEvent } from '@feed-receiver/core'
import { systemClock } from '@feed-receiver/core/node'
import { Agent } from 'undici'
import { makeAttempt, type AttemptRecord, type Delivery } from './attempt/attempt.ts'
import { createTargetReader } from './target/check-target.ts'
import { createConnector } from './target/create-connector.ts'
import { deliverUntilSettled, type Outcome } from './attempt/deliver.ts'
import { SenderError } from './errors.ts'
import { abortedError } from './answer/failure.ts'
import { readEvent } from './attempt/read-event.ts'
import { maxAttempts as documentedAttempts } from './answer/retry-delay.ts'
import type {
  AttemptOptions,
  DeliverOptions,
  DeliveryOptions,
  SenderOptions,
} from './sender-options.ts'
import { readSecret } from './attempt/signing-secret.ts'

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
  const readTarget = createTargetReader({ allowLocal })
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
    return { eventId, isTest, body, target, secretAt, lastAttempt, headers, signal }
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
