import { setTimeout as delay } from 'node:timers/promises'
import { claimDeliveries, type ClaimedDelivery } from './claim-deliveries.ts'
import { takeFaults, type DeliveryFault } from './delivery-faults.ts'
import type { AttemptOutcome } from './finish-attempts.ts'
import { keepHouse } from './housekeeping.ts'
import { makeAttempt } from './make-attempt.ts'
import { createOutcomeWriter } from './outcome-writer.ts'
import { createSenderPool } from './sender-pool.ts'
import { sweepDeliveries } from './sweep-deliveries.ts'
import type { WebhookContext } from './webhook-context.ts'

/** Makes the attempts that are due, in this process, beside whoever does so in others. */
export interface Deliverer {
  start(): Promise<void>
  /** Looks at once for what is due, instead of in a moment. */
  wake(): void
  /** Makes the attempt of a delivery that was claimed elsewhere, and keeps what came of it. */
  attempt(delivery: ClaimedDelivery): Promise<AttemptOutcome>
  /** Lets attempts finish for a while, then breaks them off: they are due again at once. Idempotent. */
  stop(): Promise<void>
}

const limits = {
  /** Attempts under way at once. */
  inFlight: 192,
  /** To one destination, from where on it has to wait; so that one that hangs leaves room for others. */
  perDestination: 64,
  /** Claimed in one statement, at most and at least: a statement for each would be dear. */
  batch: 64,
  room: 32,
}

/** How soon what was published elsewhere, or became due, is found. */
const pollMs = 100
/** How soon it is looked again after the database failed. */
const afterFailureMs = 1000
const failed = -1
/** How long a stop waits for attempts. */
const patienceMs = 2000

export function createDeliverer(context: WebhookContext): Deliverer {
  const { database, onError } = context
  const pool = createSenderPool(context.baseUrl)
  const outcomes = createOutcomeWriter(database)
  const underWay = new Set<Promise<unknown>>()
  const perDestination = new Map<string, number>()
  const stopping = new AbortController()
  let resting = new AbortController()
  let working: Promise<unknown> | undefined

  return {
    async start() {
      // Nobody else has an embedded database open, so whoever held a lease in it is gone.
      await sweepDeliveries(database, { all: database.kind === 'pglite' })
      working ??= Promise.all([keepClaiming(), keepHouse(context, stopping.signal)])
    },
    wake,
    async attempt(delivery) {
      const [faults = []] = await takeFaults(database, [delivery])
      return await follow(delivery, faults)
    },
    async stop() {
      stopping.abort()
      wake()
      await working
      await Promise.race([
        Promise.allSettled(underWay),
        delay(patienceMs, undefined, { ref: false }),
      ])
      await pool.close()
      await Promise.allSettled(underWay)
    },
  }

  function wake(): void {
    resting.abort()
  }

  async function keepClaiming(): Promise<void> {
    while (!stopping.signal.aborted) {
      // From here on, so that whoever wakes it during the claim is not overheard.
      resting = new AbortController()
      const taken = await claim().catch(report)
      if (taken > 0) continue
      const pauseMs = taken === failed ? afterFailureMs : pollMs
      await delay(pauseMs, undefined, { signal: resting.signal }).catch(() => undefined)
    }
  }

  function report(error: unknown): typeof failed {
    onError(error)
    return failed
  }

  /** How many were taken; with none there is nothing to do for now. */
  async function claim(): Promise<number> {
    const room = limits.inFlight - underWay.size
    if (room < limits.room) return 0
    const except = [...perDestination].flatMap(([id, busy]) =>
      busy >= limits.perDestination ? [id] : [],
    )
    const limit = Math.min(limits.batch, room)
    const { deliveries, taken } = await claimDeliveries(database, { limit, except })
    const faults = await takeFaults(database, deliveries)
    for (const [index, delivery] of deliveries.entries()) {
      // What could not be kept is taken back by the sweep.
      follow(delivery, faults[index] ?? []).catch(onError)
    }
    return taken
  }

  async function follow(
    delivery: ClaimedDelivery,
    faults: readonly DeliveryFault[],
  ): Promise<AttemptOutcome> {
    const { destinationId } = delivery
    const run = makeAndKeep(delivery, faults)
    const settled = run.catch(() => undefined)
    underWay.add(settled)
    count(destinationId, 1)
    try {
      return await run
    } finally {
      underWay.delete(settled)
      // There is room again where there was none.
      const hasRoom = count(destinationId, -1) === limits.perDestination - 1
      if (hasRoom || underWay.size === limits.inFlight - limits.room) wake()
    }
  }

  async function makeAndKeep(
    delivery: ClaimedDelivery,
    faults: readonly DeliveryFault[],
  ): Promise<AttemptOutcome> {
    const outcome = await makeAttempt(context, pool, delivery, faults)
    await outcomes.write(outcome)
    return outcome
  }

  function count(destinationId: string, by: number): number {
    const now = (perDestination.get(destinationId) ?? 0) + by
    if (now === 0) perDestination.delete(destinationId)
    else perDestination.set(destinationId, now)
    return now
  }
}
