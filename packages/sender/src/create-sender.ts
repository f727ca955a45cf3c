import type { FeedEvent } from '@feed-receiver/core'
import { Agent } from 'undici'
import { makeAttempt, type AttemptRecord, type AttemptSettings } from './attempt.ts'
import { breakableBy, createBreaker, type Breaker } from './breaker.ts'
import { systemClock } from './clock.ts'
import { createConnector } from './create-connector.ts'
import { deliverUntilSettled, type Outcome } from './deliver.ts'
import { SenderError } from './errors.ts'
import { prepareDelivery, type PreparedDelivery } from './prepare-delivery.ts'
import { maxAttempts as documentedAttempts } from './retry-delay.ts'
import type {
  AttemptOptions,
  DeliverOptions,
  DeliveryOptions,
  SenderOptions,
} from './sender-options.ts'
import { readSecret } from './signing-secret.ts'
import { createTargetReader } from './target-reader.ts'

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
  const secretAt = readSecret(secret)
  if (!(deadlineMs > 0 && deadlineMs < 2 ** 31)) {
    throw new RangeError('deadlineMs must be more than 0 and less than 2 ** 31.')
  }
  const readTarget = createTargetReader({ allowLocal })
  // Later than the deadline, which alone decides; this frees what still connects after it.
  const connect = createConnector({ lookup, allowLocal, timeoutMs: deadlineMs + 1000 })
  // Undici's own timeouts are idle times, and coarse ones; the deadline covers them.
  const dispatcher = new Agent({ connect, headersTimeout: 0, bodyTimeout: 0 })
  const settings: AttemptSettings = {
    secretAt,
    clock,
    signingClock,
    userAgent,
    deadlineMs,
    jitter,
    dispatcher,
  }
  const closing = createBreaker()
  let closed: Promise<void> | undefined

  return { deliver, attempt, close, [Symbol.asyncDispose]: close }

  async function deliver(
    event: FeedEvent | Uint8Array,
    { to, id, onAttempt, headers, signal, once, maxAttempts }: DeliverOptions,
  ): Promise<Outcome> {
    const delivery = prepareDelivery(event, { target: readTarget(to), id })
    const lastAttempt = chooseLastAttempt(delivery, { once, maxAttempts })
    return await untilClosed(signal, (breaker) =>
      deliverUntilSettled(delivery, { onAttempt, headers, lastAttempt, breaker }, settings),
    )
  }

  async function attempt(
    event: FeedEvent | Uint8Array,
    { to, id, attempt: number = 1, headers, signal, once, maxAttempts }: AttemptOptions,
  ): Promise<AttemptRecord> {
    checkCount('attempt', number)
    const delivery = prepareDelivery(event, { target: readTarget(to), id })
    const lastAttempt = chooseLastAttempt(delivery, { once, maxAttempts })
    return await untilClosed(signal, (breaker) =>
      makeAttempt(delivery, { attempt: number, headers, lastAttempt, breaker }, settings),
    )
  }

  function untilClosed<T>(
    signal: AbortSignal | undefined,
    work: (breaker: Breaker) => Promise<T>,
  ): Promise<T> {
    if (closed) throw new SenderError('sender_closed', 'This sender is closed. Create another.')
    return breakableBy(closing, signal, work)
  }

  function close(): Promise<void> {
    closed ??= stopAll()
    return closed
  }

  async function stopAll(): Promise<void> {
    closing.break()
    await dispatcher.destroy()
  }
}

function chooseLastAttempt(
  { isTest }: PreparedDelivery,
  {
    once = isTest,
    maxAttempts = documentedAttempts,
  }: Pick<DeliveryOptions, 'once' | 'maxAttempts'>,
): number {
  checkCount('maxAttempts', maxAttempts)
  return once ? 1 : maxAttempts
}

function checkCount(name: string, value: number): void {
  if (Number.isInteger(value) && value > 0) return
  throw new RangeError(`${name} must be a whole number from 1.`)
}
