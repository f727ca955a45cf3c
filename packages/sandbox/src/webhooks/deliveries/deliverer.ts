import { setTimeout as delay } from 'node:timers/promises'
import { createGroupCommit } from '@feed-receiver/database/internal'
import { createSender, type Sender } from '@feed-receiver/sender'
import { claimDeliveries, limits } from './claim-deliveries.ts'
import { takeDeliveryFaults, type DeliveryFault } from '../../faults/delivery-faults.ts'
import { finishAttempts, lateRejection } from './finish-attempts.ts'
import { runMaintenance, sweepDeliveries } from './maintenance.ts'
import { makeAttempt } from './make-attempt.ts'
import type {
  AttemptOutcome,
  ClaimedDelivery,
  Deliverer,
  MadeAttempt,
} from '../../state/delivery.ts'
import type { Context } from '../../server/context.ts'

/** How soon it finds events that another process published, and deliveries that became due. */
const pollMs = 100
/** How soon it queries again after the database failed. */
const afterFailureMs = 1000
/** How long a stop waits for in-flight attempts. */
const stopTimeoutMs = 2000

/** Chats are not signed, but a sender needs a secret. */
const unsigned = 'feed_whsec_of_chats_which_are_not_signed'

export interface StartableDeliverer extends Deliverer {
  start(): Promise<void>
  /**
   * Waits briefly for in-flight attempts, then aborts them: they are due again immediately.
   * Idempotent.
   */
  stop(): Promise<void>
}

/** Makes due attempts in this process, concurrently with other processes. */
export function createDeliverer(context: Omit<Context, 'deliverer'>): StartableDeliverer {
  const { database, onError } = context
  const finishing = createGroupCommit<AttemptOutcome, AttemptOutcome>(async (group) => {
    const late = await finishAttempts(database, group)
    return group.map((one) => (late.has(one.deliveryId) ? { ...one, cause: lateRejection } : one))
  })
  let sender: Sender | undefined
  const inFlight = new Set<Promise<unknown>>()
  const attempting = new Map<string, number>()
  /** Destinations that may have more due deliveries than free capacity. */
  const waiting = new Set<string>()
  const stopping = new AbortController()
  let sleeping = new AbortController()
  let loops: Promise<unknown> | undefined

  return {
    async start() {
      // No other process can have an embedded database open, so all leases in it are stale.
      await sweepDeliveries(database, { all: database.kind === 'pglite' })
      loops ??= Promise.all([keepClaiming(), runMaintenance(context, stopping.signal)])
    },
    wake,
    async attempt(delivery) {
      const [faults = []] = await takeDeliveryFaults(context, [delivery])
      return await runAttempt(delivery, faults)
    },
    async stop() {
      stopping.abort()
      wake()
      await loops
      await Promise.race([
        Promise.allSettled(inFlight),
        delay(stopTimeoutMs, undefined, { ref: false }),
      ])
      await sender?.close()
      await Promise.allSettled(inFlight)
    },
  }

  function wake() {
    sleeping.abort()
  }

  async function keepClaiming(): Promise<void> {
    while (!stopping.signal.aborted) {
      // Created before the claim, so that a wake-up during the claim is not lost.
      sleeping = new AbortController()
      let pauseMs = pollMs
      await claim().catch((error: unknown) => {
        onError(error)
        pauseMs = afterFailureMs
      })
      // After a claim every destination has all its due deliveries, or has reached its limit.
      await delay(pauseMs, undefined, { signal: sleeping.signal }).catch(() => undefined)
    }
  }

  async function claim(): Promise<void> {
    // Counts attempts whose outcome is being stored, so that a slow database is not overloaded.
    const total = limits.total - inFlight.size
    if (total < limits.minCapacity) return
    const claimed = await claimDeliveries(database, total, attempting)
    const { deliveries, mayHaveMore, hasFaults } = claimed
    const faults = hasFaults ? await takeDeliveryFaults(context, deliveries) : []
    for (const [index, delivery] of deliveries.entries()) {
      // The sweep takes back attempts whose outcome could not be stored.
      runAttempt(delivery, faults[index] ?? []).catch(onError)
    }
    for (const id of mayHaveMore) {
      waiting.add(id)
      wakeIfCapacity(id)
    }
  }

  function runAttempt(
    delivery: ClaimedDelivery,
    faults: readonly DeliveryFault[],
  ): Promise<AttemptOutcome> {
    const { destinationId } = delivery
    const allowLocal = !context.strictDestinations
    // Created this late because only now the address of the sandbox is known.
    sender ??= createSender({ secret: unsigned, allowLocal, baseUrl: context.baseUrl() })
    count(destinationId, 1)
    const run = makeAttempt(context, sender, delivery, faults)
      .then((outcome) => {
        count(destinationId, -1)
        wakeIfCapacity(destinationId)
        return finishing.add(outcome)
      })
      .then((outcome) => {
        context.onAttempt?.(describeAttempt(delivery, outcome))
        return outcome
      })
      .finally(() => inFlight.delete(run))
    inFlight.add(run)
    return run
  }

  function count(destinationId: string, by: number): void {
    const now = (attempting.get(destinationId) ?? 0) + by
    if (now === 0) attempting.delete(destinationId)
    else attempting.set(destinationId, now)
  }

  function wakeIfCapacity(destinationId: string): void {
    const room = limits.perDestination - (attempting.get(destinationId) ?? 0)
    if (room >= limits.minCapacity && waiting.delete(destinationId)) wake()
  }
}

function describeAttempt(
  { destinationId, eventId, kind, body }: ClaimedDelivery,
  { signedAt: _signedAt, errorMessage: _message, retryAfter: _after, ...outcome }: AttemptOutcome,
): MadeAttempt {
  return { ...outcome, destinationId, eventId, kind, body }
}
