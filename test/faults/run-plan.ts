import type { Span } from './checker.ts'
import { holdsOf, type PlannedFault } from './plan.ts'
import { seededRandom } from './random.ts'
import type { World } from './world.ts'

/** What became of one planned fault: what was seen of it, or why it is not proved. */
export interface Strike {
  name: string
  span: Span
  proof?: string
  problem?: string
}

export interface RunPlanOptions {
  /** How many events the plan is spread over. */
  events: number
  say: (line: string) => void
}

/**
 * Lets every fault happen, in the order of the plan, and those at once that do not need the same thing.
 * A share of the events is kept for each that has not begun, so that all of them happen under load.
 */
export async function runPlan(
  world: World,
  plan: readonly PlannedFault[],
  { events, say }: RunPlanOptions,
): Promise<Strike[]> {
  const share = Math.floor(events / 2 / Math.max(plan.length, 1))
  const strikes: Strike[] = []
  const lastOf = new Map<string, Promise<void>>()
  let begun = 0

  for (const planned of plan) {
    const holds = holdsOf(planned)
    const before = holds.map((name) => lastOf.get(name) ?? Promise.resolve())
    const struck = Promise.all(before).then(() => strike(planned))
    for (const name of holds) lastOf.set(name, struck)
  }
  await Promise.all(lastOf.values())
  return strikes

  async function strike(planned: PlannedFault): Promise<void> {
    const { fault, which, seed } = planned
    // The run does not count any more, so that the rest would only take time.
    if (strikes.some(({ problem }) => problem !== undefined)) return
    begun += 1
    world.traffic.allow(events - share * (plan.length - begun))
    const from = Date.now()
    const seen = await fault.inject(world, { which, random: seededRandom(seed) }).then(
      (proof) => ({ proof }),
      (error: unknown) => ({ problem: error instanceof Error ? error.message : String(error) }),
    )
    strikes.push({ name: fault.name, span: { from, to: Date.now() }, ...seen })
    const { acknowledged } = world.traffic
    say(`${strikes.length}/${plan.length} faults, ${acknowledged} acknowledged, ${fault.name}`)
  }
}
