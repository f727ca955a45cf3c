import { makeAttempt, type AttemptRecord, type AttemptSettings, type Delivery } from './attempt.ts'

/**
 * The result of a delivery. `paused`: a status that pauses the destination. `exhausted`: all
 * attempts failed. `test_failed`: a `destination_test` failed, with any status. `aborted`:
 * by the signal, or because the sender was closed.
 */
export type DeliveryResult = 'delivered' | 'paused' | 'exhausted' | 'test_failed' | 'aborted'

export interface Outcome {
  eventId: string
  result: DeliveryResult
  /** In order; empty if the delivery was aborted before its first attempt. */
  attempts: AttemptRecord[]
}

/** Makes each attempt when the clock says that it is due, until one ends the delivery. */
export async function deliverUntilDone(
  delivery: Delivery,
  settings: AttemptSettings,
  onAttempt: ((record: AttemptRecord) => void | Promise<void>) | undefined,
): Promise<Outcome> {
  const { clock, closing } = settings
  const { eventId, signal } = delivery
  const attempts: AttemptRecord[] = []
  const isAborted = () => closing.aborted || signal?.aborted
  while (!isAborted()) {
    // Holds the clock until the next sleep begins. Otherwise a test could advance it past a retry
    // while its attempt is still in flight.
    const release = clock.hold?.()
    try {
      const record = await makeAttempt(delivery, attempts.length + 1, settings)
      attempts.push(record)
      if (onAttempt) await onAttempt(record)
      const next = resultOrDelay(record, delivery)
      if (typeof next === 'string') return { eventId, result: next, attempts }
      // Only retries make one: Node 20 keeps some 80 bytes of each as long as the sender lives.
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

/** The result of the delivery, or the delay until its next attempt in milliseconds. */
function resultOrDelay(record: AttemptRecord, { isTest }: Delivery): DeliveryResult | number {
  if (record.result === 'accepted') return 'delivered'
  if (record.result === 'aborted') return 'aborted'
  if (record.result === 'retry' && record.nextDelayMs !== undefined) return record.nextDelayMs
  if (isTest) return 'test_failed'
  return record.result === 'pause' ? 'paused' : 'exhausted'
}
