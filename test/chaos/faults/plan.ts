import type { Fault, Part } from './fault.ts'
import { seededRandom } from './random.ts'

/** One fault of a run: its kind, its target, and the seed of its random numbers. */
export interface PlannedFault {
  fault: Fault
  which: number
  seed: number
}

export interface PlanOptions {
  seed: number
  /** How often a process is killed with -9. */
  kills: number
  /** How often the database is stopped at once and restarted. */
  restarts: number
  /** The number of all other faults. Each one occurs once before any occurs again. */
  others: number
}

/** Creates the order of the faults of a run, from the seed alone. */
export function makePlan(
  faults: readonly Fault[],
  { seed, kills, restarts, others }: PlanOptions,
): PlannedFault[] {
  const random = seededRandom(seed)
  const ofKind = (kind: Fault['kind']) => faults.filter((fault) => fault.kind === kind)
  const chosen = [
    ...inTurn(random.shuffle(ofKind('kill')), kills),
    ...inTurn(random.shuffle(ofKind('restart')), restarts),
    ...inTurn(random.shuffle(ofKind('other')), others),
  ]
  return random.shuffle(chosen).map((fault) => ({
    fault,
    which: random.below(2),
    seed: random.below(2 ** 32),
  }))
}

/** Creates a random order of faults, each of them once. */
export function planEachOnce(faults: readonly Fault[], seed: number): PlannedFault[] {
  const random = seededRandom(seed)
  return random
    .shuffle(faults)
    .map((fault) => ({ fault, which: random.below(2), seed: random.below(2 ** 32) }))
}

/** The names of the parts that a planned fault needs alone. */
export function holdsOf({ fault, which }: PlannedFault): string[] {
  const names: Record<Part, string[]> = {
    receiver: [`receiver-${which}`],
    receivers: ['receiver-0', 'receiver-1'],
    worker: [`worker-${which}`],
    workers: ['worker-0', 'worker-1'],
    operator: ['operator'],
    database: ['database'],
    sender: ['sender'],
    front: ['front'],
  }
  return fault.holds.flatMap((part) => names[part])
}

function inTurn<T>(items: readonly T[], count: number): T[] {
  if (items.length === 0) return []
  return Array.from({ length: count }, (_, index) => items[index % items.length]).filter(
    (item) => item !== undefined,
  )
}
