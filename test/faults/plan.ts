import type { Fault, Part } from './fault.ts'
import { seededRandom } from './random.ts'

/** One fault of a run: which, where, and the seed of whatever it draws. */
export interface PlannedFault {
  fault: Fault
  which: number
  seed: number
}

export interface PlanOptions {
  seed: number
  /** How many times a process is killed with -9. */
  kills: number
  /** How many times the database is stopped at once and started again. */
  restarts: number
  /** How many of all the other faults; each comes once before one comes again. */
  others: number
}

/** Makes the order of the faults of a run out of a seed, and of nothing else. */
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

/** What a planned fault must have to itself, by name. */
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
