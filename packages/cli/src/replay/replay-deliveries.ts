import { setTimeout as delay } from 'node:timers/promises'
import type { AttemptRecord, Outcome, Sender } from '@feed-receiver/sender'
import type { ReplayDelivery } from './collect-deliveries.ts'

export interface ReplayOptions {
  sender: Sender
  to: string
  /** One attempt for each, instead of the retries of the service. */
  once: boolean
  concurrency: number
  /** Real milliseconds from one start to the next; undefined starts as soon as a place is free. */
  intervalMs: number | undefined
  /** Goes on after an answer on which the service would pause the destination. */
  keepGoing: boolean
  signal: AbortSignal
  onAttempt: (delivery: ReplayDelivery, record: AttemptRecord) => void
  onOutcome: (delivery: ReplayDelivery, outcome: Outcome) => void
}

/** Delivers in order, as many at once as it may; what it did not get to has no outcome. */
export async function replayDeliveries(
  deliveries: readonly ReplayDelivery[],
  { concurrency, ...options }: ReplayOptions,
): Promise<void> {
  const waiting = deliveries.entries()
  const pause = new AbortController()
  const signal = AbortSignal.any([options.signal, pause.signal])
  const beganAt = performance.now()
  const places = Array.from({ length: concurrency }, () => workOff())
  await Promise.all(places)

  async function workOff(): Promise<void> {
    for (const [index, delivery] of waiting) {
      await waitForTurn(index)
      if (signal.aborted) return
      const outcome = await deliverOne(delivery, options)
      // Those under way go on: the service, too, only starts nothing new.
      if (outcome.result === 'paused' && !options.keepGoing) pause.abort()
    }
  }

  async function waitForTurn(index: number): Promise<void> {
    const dueMs = beganAt + index * (options.intervalMs ?? 0) - performance.now()
    if (dueMs > 0) await delay(dueMs, undefined, { signal }).catch(() => undefined)
  }
}

async function deliverOne(
  delivery: ReplayDelivery,
  { sender, to, once, signal, onAttempt, onOutcome }: Omit<ReplayOptions, 'concurrency'>,
): Promise<Outcome> {
  const outcome = await sender.deliver(delivery.body, {
    to,
    id: delivery.eventId,
    ...(once && { once }),
    signal,
    onAttempt: (record) => onAttempt(delivery, record),
  })
  onOutcome(delivery, outcome)
  return outcome
}
