import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readAttempts } from './attempt-log.ts'
import { countDuring, countOutcome, type Counts } from './checker.ts'
import { drain, type Drained } from './drain.ts'
import type { PlannedFault } from './plan.ts'
import { readEffects } from './read-effects.ts'
import { runPlan, type Strike } from './run-plan.ts'
import type { ContenderName } from '../../bench/contenders/contenders.ts'
import { judge } from './verdict.ts'
import { mayMount } from '../../support/small-disk.ts'
import { startWorld, type WorldOptions } from './start-world.ts'
import type { World } from './world.ts'
import { until } from '../../support/until.ts'

export interface RunOptions extends Pick<WorldOptions, 'programs' | 'route' | 'contender'> {
  seed: number
  events: number
  plan: readonly PlannedFault[]
  /** @default false */
  isThorough?: boolean
  /** Called with the progress. */
  say?: (line: string) => void
}

export interface RunResult {
  contender: ContenderName
  seed: number
  events: number
  seconds: number
  counts: Counts
  /** Processes that were killed with -9 as planned. */
  kills: number
  /** Faults of the plan. */
  planned: number
  strikes: readonly Strike[]
  unplannedExits: readonly string[]
  processedDuringFaults: number
  drained: Drained
  /** The reasons why the run is no success; empty if it counts and is clean. */
  problems: readonly string[]
  /** Logs and database, which stay if there are problems. */
  folder?: string
}

/** Sends events through real processes, injects the faults of a plan, and counts the results. */
export async function runFaults({
  seed,
  events: wanted,
  plan,
  programs = {},
  route = 'address',
  contender = 'feed-receiver',
  isThorough = false,
  say = () => {},
}: RunOptions): Promise<RunResult> {
  const hasSmallDisk = plan.some(({ fault }) => fault.needsSmallDisk)
  if (hasSmallDisk && !mayMount()) {
    throw new Error('A full disk needs a file system of its own: run it as root, on Linux.')
  }
  const startedAt = performance.now()
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-faults-'))
  // Spare ones, for faults that still wait for an event when all have been sent. A receiver that
  // does not recover uses many of them.
  const events = Math.ceil(wanted * 1.5) + (isThorough ? 5_000 : 500)
  const perSecond = choosePace(wanted, plan)
  const world = await startWorld({
    seed,
    events,
    perSecond,
    folder,
    programs,
    route,
    hasSmallDisk,
    contender,
  })
  try {
    const result = await strikeAndCount(world)
    if (result.problems.length > 0) {
      await world.keepDatabase()
      return { ...result, folder }
    }
    await rm(folder, { recursive: true })
    return result
  } finally {
    await world.stop()
  }

  async function strikeAndCount(running: World): Promise<RunResult> {
    const strikes = await runPlan(running, plan, { events: wanted, isThorough, say })
    const { traffic } = running
    traffic.allow(wanted, 10_000)
    const isSent = () => {
      say(`all faults are over, ${traffic.acknowledged} of ${traffic.allowed} acknowledged`)
      return traffic.acknowledged >= traffic.allowed
    }
    await until('everything is acknowledged', isSent, { withinMs: 300_000 }).catch(() => undefined)
    const drained = await drain(running, say)

    const attempts = readAttempts(join(folder, 'attempts.log'))
    const effects = await readEffects(running, seed)
    const counts = countOutcome({ attempts, effects })
    const spans = strikes.map(({ span }) => span)
    const unplannedExits = running.members.flatMap((member) => member.unplannedExits)
    const processedDuringFaults = countDuring(effects, spans)
    const problems = judge({
      counts,
      events: traffic.allowed,
      planned: plan.length,
      strikes,
      unplannedExits,
      processedDuringFaults,
      stillLive: drained.stillLive,
    })
    return {
      contender,
      seed,
      events: traffic.allowed,
      seconds: Math.round((performance.now() - startedAt) / 1_000),
      counts,
      kills: running.members.reduce((sum, { kills }) => sum + kills, 0),
      planned: plan.length,
      strikes,
      unplannedExits,
      processedDuringFaults,
      drained,
      problems,
    }
  }
}

/**
 * Slow enough that a fault's share of events lasts about as long as the fault. A few run at once.
 */
function choosePace(events: number, plan: readonly PlannedFault[]): number {
  const share = events / Math.max(plan.length, 1)
  return Math.min(Math.max(share * 3, 20), 400)
}
