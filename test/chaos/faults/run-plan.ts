import { until } from '../../support/until.ts'
import type { Span } from './checker.ts'
import { patienceMs } from './patience.ts'
import { holdsOf, type PlannedFault } from './plan.ts'
import { seededRandom } from './random.ts'
import { takeTurns } from './take-turns.ts'
import type { World } from './world.ts'

/** The result of one planned fault: its proof, or why it is not proved. */
export interface Strike {
  name: string
  span: Span
  proof?: string
  problem?: string
  /** From the end of the fault until events went through again; undefined if they never did. */
  recoverySeconds?: number
}

export interface RunPlanOptions {
  /** The number of events, spread over the plan. */
  events: number
  /**
   * Injects one fault at a time. If the receiver does not survive one, restarts its processes like
   * an operator and continues. @default false
   */
  isThorough?: boolean
  say: (line: string) => void
}

/**
 * Injects every fault of a plan, concurrently if they do not need the same parts. Each fault allows
 * its share of the events, so that all faults happen under load. It lasts until these are
 * acknowledged, and half of them are processed, because the jobs of a killed worker may come later.
 * Alone, it lasts until no job is left.
 */
export async function runPlan(
  world: World,
  plan: readonly PlannedFault[],
  { events, isThorough = false, say }: RunPlanOptions,
): Promise<Strike[]> {
  const strikes: Strike[] = []
  let begun = 0
  await takeTurns(plan, isThorough ? () => ['everything'] : holdsOf, strike)
  return strikes

  async function strike(planned: PlannedFault): Promise<void> {
    const { fault, which, seed } = planned
    // The run no longer counts, so the other faults would only take time.
    if (!isThorough && strikes.some(({ problem }) => problem !== undefined)) return
    begun += 1
    const due = Math.floor((events * begun) / plan.length)
    world.traffic.allow(due)
    const from = Date.now()
    const processedBefore = await countProcessed(world)
    const seen: Pick<Strike, 'proof' | 'problem' | 'recoverySeconds'> = {}
    try {
      seen.proof = await fault.inject(world, { which, random: seededRandom(seed) })
      seen.recoverySeconds = await recover()
    } catch (error) {
      seen.problem = error instanceof Error ? error.message : String(error)
    }
    strikes.push({ name: fault.name, span: { from, to: Date.now() }, ...seen })
    const { acknowledged } = world.traffic
    say(`${strikes.length}/${plan.length} faults, ${acknowledged} acknowledged, ${fault.name}`)
    if (isThorough && seen.problem !== undefined) await restartByHand(world)

    async function recover(): Promise<number> {
      const half = events / plan.length / 2
      const isHalfProcessed = async () =>
        !isThorough && (await countProcessed(world)) >= processedBefore + half
      const goesThrough = async () =>
        world.traffic.acknowledged >= due &&
        ((await isHalfProcessed()) || (await world.queue.countLive()) === 0)
      const endedAt = performance.now()
      await until('events go through again', goesThrough, { withinMs: patienceMs })
      return (performance.now() - endedAt) / 1_000
    }
  }
}

async function restartByHand({ receivers, workers }: World): Promise<void> {
  for (const member of [...receivers, ...workers]) {
    const replaced = member.replaced('SIGKILL')
    member.signal('SIGKILL')
    await replaced
  }
}

async function countProcessed({ sql }: World): Promise<number> {
  const [row] = await sql<{ count: number }>('select count(*)::int as count from effect')
  return row?.count ?? 0
}
