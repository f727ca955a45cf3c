import { makeAttempt, type AttemptRecord, type AttemptSettings, type Delivery } from './attempt.ts'

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

/** Makes attempts, each due when the clock says so, until one settles the delivery or was the last. */
export async function deliverUntilSettled(
  delivery: Delivery,
  settings: AttemptSettings & { closing: AbortSignal },
  onAttempt: ((record: AttemptRecord) => void | Promise<void>) | undefined,
): Promise<Outcome> {
  const { clock, closing } = settings
  const { eventId, signal } = delivery
  const attempts: AttemptRecord[] = []
  const isAborted = () => closing.aborted || signal?.aborted
  while (!isAborted()) {
    // The clock stands still from here until the next sleep has begun, so that no clock can be
    // moved past a retry that is not due yet only because its attempt is still under way.
    const release = clock.hold?.()
    try {
      const record = await makeAttempt(delivery, attempts.length + 1, settings)
      attempts.push(record)
      if (onAttempt) await onAttempt(record)
      const next = settle(record, delivery)
      if (typeof next === 'string') return { eventId, result: next, attempts }
      // Node 20 keeps some 80 bytes of each for as long as the sender lives, so only retries make one.
      const stop = signal ? AbortSignal.any([closing, signal]) : closing
      const slept = clock.sleep(next, stop).catch((error: unknown) => {
        if (!isAborted()) throw error
      })
      release?.()
      await slept
    } finally {
      release?.()
    }
  }
  return { eventId, result: 'aborted', attempts }
}

/** What became of the delivery, or in how many milliseconds it is attempted again. */
function settle(record: AttemptRecord, { isTest }: Delivery): DeliveryResult | number {
  if (record.result === 'accepted') return 'delivered'
  if (record.result === 'aborted') return 'aborted'
  if (record.result === 'retry' && record.nextDelayMs !== undefined) return record.nextDelayMs
  if (isTest) return 'test_failed'
  return record.result === 'pause' ? 'paused' : 'exhausted'
}
