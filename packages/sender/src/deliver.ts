import {
  makeAttempt,
  type AttemptPlan,
  type AttemptRecord,
  type AttemptSettings,
} from './attempt.ts'
import type { Breaker } from './breaker.ts'
import type { PreparedDelivery } from './prepare-delivery.ts'

/**
 * How a delivery ended. `paused`: with a status that pauses the destination. `exhausted`: the last
 * attempt failed as well. `test_failed`: a `destination_test` failed, with whatever status (R212).
 * `aborted`: by the signal, or by closing the sender.
 */
export type DeliveryResult = 'delivered' | 'paused' | 'exhausted' | 'test_failed' | 'aborted'

export interface Outcome {
  eventId: string
  result: DeliveryResult
  /** In order; empty where the delivery was aborted before the first. */
  attempts: AttemptRecord[]
}

export interface DeliverPlan extends Omit<AttemptPlan, 'attempt'> {
  onAttempt?: ((record: AttemptRecord) => void | Promise<void>) | undefined
}

/** Makes attempts, each due when the clock says so, until one settles the delivery or was the last. */
export async function deliverUntilSettled(
  delivery: PreparedDelivery,
  { lastAttempt, headers, breaker, onAttempt }: DeliverPlan,
  settings: AttemptSettings,
): Promise<Outcome> {
  const { clock } = settings
  const { eventId } = delivery
  const attempts: AttemptRecord[] = []
  while (!breaker.isBroken) {
    // The clock stands still from here until the next sleep has begun, so that no clock can be
    // moved past a retry that is not due yet only because its attempt is still under way.
    const release = clock.hold?.()
    try {
      const plan = { attempt: attempts.length + 1, lastAttempt, headers, breaker }
      const record = await makeAttempt(delivery, plan, settings)
      attempts.push(record)
      if (onAttempt) await onAttempt(record)
      const next = settle(record, delivery)
      if (typeof next === 'string') return { eventId, result: next, attempts }
      const slept = sleepUnlessBroken(settings, next, breaker)
      release?.()
      await slept
    } finally {
      release?.()
    }
  }
  return { eventId, result: 'aborted', attempts }
}

/** What became of the delivery, or in how many milliseconds it is attempted again. */
function settle(record: AttemptRecord, { isTest }: PreparedDelivery): DeliveryResult | number {
  if (record.result === 'accepted') return 'delivered'
  if (record.result === 'aborted') return 'aborted'
  if (record.result === 'retry' && record.nextDelayMs !== undefined) return record.nextDelayMs
  if (isTest) return 'test_failed'
  return record.result === 'pause' ? 'paused' : 'exhausted'
}

async function sleepUnlessBroken(
  { clock }: AttemptSettings,
  ms: number,
  breaker: Breaker,
): Promise<void> {
  const stopping = new AbortController()
  const unwatch = breaker.watch(() => stopping.abort())
  try {
    await clock.sleep(ms, stopping.signal)
  } catch (error) {
    if (!breaker.isBroken) throw error
  } finally {
    unwatch()
  }
}
