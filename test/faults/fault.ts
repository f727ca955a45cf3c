import type { Random } from './random.ts'
import type { World } from './world.ts'

/** One kind of mishap: how it is done, and how it is known to have happened. */
export interface Fault {
  name: string
  /** One line for `--help`. */
  describe: string
  /** What a plan counts it as: `--kills`, `--restarts`, or everything else. */
  kind: 'kill' | 'restart' | 'other'
  /** What it has to itself while it lasts; `receiver` and `worker` are the one that it strikes. */
  holds: readonly Part[]
  /** Does it, and returns what was seen of it. Throws where it cannot be proved to have happened. */
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

/** Where a fault strikes, and the numbers that it may draw. */
export interface Target {
  /** 0 or 1: which of the two receivers, or workers. */
  which: number
  random: Random
}
