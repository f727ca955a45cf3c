import type { Random } from './random.ts'
import type { World } from './world.ts'

/** One kind of fault: how to inject it, and how to prove it. */
export interface Fault {
  name: string
  /** One line for `--help`. */
  describe: string
  /** The option that counts it: `--kills`, `--restarts`, or neither. */
  kind: 'kill' | 'restart' | 'other'
  /** The parts that it needs alone. `receiver` and `worker` are the ones that it strikes. */
  holds: readonly Part[]
  /** What holds during the fault, beyond that nothing is lost or doubled. */
  promise?: string
  /** Needs a run of its own, with PostgreSQL on a small disk. */
  needsSmallDisk?: boolean
  /** Injects it, and returns the proof. Throws if it cannot prove that the fault happened. */
  inject(world: World, target: Target): Promise<string>
}

export type Part =
  | 'receiver'
  | 'receivers'
  | 'worker'
  | 'workers'
  | 'operator'
  | 'database'
  | 'sender'
  | 'front'

/** Where a fault strikes, and the random numbers that it may use. */
export interface Target {
  /** 0 or 1: which of the two receivers or workers. */
  which: number
  random: Random
}
