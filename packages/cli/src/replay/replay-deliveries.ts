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
  onOutcome: (outcome: Outcome) => void
}

/** Delivers in order, as many at once as it may; what it did not get to has no outcome. */
export async function replayDeliveries(
  deliveries: readonly ReplayDelivery[],
  options: ReplayOptions,
): Promise<void> {
  const { sender, to, once, concurrency, intervalMs = 0, onAttempt, onOutcome } = options
  const waiting = deliveries.entries()
  const pause = new AbortController()
  const signal = AbortSignal.any([options.signal, pause.signal])
  const beganAt = performance.now()
  await Promise.all(Array.from({ length: concurrency }, deliverNext))

  async function deliverNext(): Promise<void> {
    for (const [index, delivery] of waiting) {
      const dueMs = beganAt + index * intervalMs - performance.now()
      if (dueMs > 0) await delay(dueMs, undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return
      const outcome = await sender.deliver(delivery.body, {
        to,
        id: delivery.eventId,
        ...(once && { once }),
        // Not the pause: those in flight go on, because the service, too, only starts nothing new.
        signal: options.signal,
        onAttempt: (record) => onAttempt(delivery, record),
      })
      onOutcome(outcome)
      if (outcome.result === 'paused' && !options.keepGoing) pause.abort()
    }
  }
}
