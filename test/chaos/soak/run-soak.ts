import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { readAttempts } from '../faults/attempt-log.ts'
import { countOutcome, type Counts } from '../faults/checker.ts'
import { drain } from '../faults/drain.ts'
import { readEffects } from '../faults/read-effects.ts'
import { startWorld } from '../faults/start-world.ts'
import type { World } from '../faults/world.ts'
import { describeRevision } from '../../support/describe-revision.ts'
import { until } from '../../support/until.ts'
import { compareFifths, type Growth } from './growth.ts'
import { duties, type Duty } from './routine.ts'
import { takeSample, type Sample } from './sample.ts'

export interface SoakOptions {
  hours: number
  /** Events per second. Three in ten are sent twice or three times. */
  rate: number
  seed: number
  say(line: string): void
}

export interface SoakResult {
  hours: number
  rate: number
  seed: number
  startedAt: string
  /** The commit that ran. */
  revision: string
  counts: Counts
  done: readonly { name: string; at: number; seen: string }[]
  growths: readonly Growth[]
  samples: readonly Sample[]
  /** Why the run is no success; empty if it is. */
  problems: readonly string[]
}

const samples = 120

/** Keeps an inbox busy with everything that operating one brings, and looks for growth. */
export async function runSoak({ hours, rate, seed, say }: SoakOptions): Promise<SoakResult> {
  const startedAt = new Date()
  const revision = describeRevision()
  const endsAt = startedAt.getTime() + hours * 3_600_000
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-soak-'))
  const events = Math.ceil(hours * 3_600 * rate)
  const world = await startWorld({ seed, events, perSecond: rate, folder })
  const done: { name: string; at: number; seen: string }[] = []
  const taken: Sample[] = []
  const problems: string[] = []
  const elapsed = () => (Date.now() - startedAt.getTime()) / 1_000
  try {
    world.traffic.allow(events, rate)
    await Promise.all([sampleForTheRun(), doDuties()])
    return await count()
  } finally {
    await world.stop()
    if (problems.length === 0) await rm(folder, { recursive: true })
    else say(`The logs are in ${folder}.`)
  }

  async function sampleForTheRun(): Promise<void> {
    const sinceSeconds = (hours * 3_600) / samples
    for (let index = 1; index <= samples; index += 1) {
      await delay(Math.max(0, startedAt.getTime() + index * sinceSeconds * 1_000 - Date.now()))
      const sample = await takeSample(world, { at: elapsed(), sinceSeconds })
      taken.push(sample)
      say(
        `${index}/${samples} samples, ${world.traffic.acknowledged} acknowledged, lag ${Math.round(sample.lagMs)} ms`,
      )
    }
  }

  /** One after the other, each whenever it is due. */
  async function doDuties(): Promise<void> {
    const due = duties.map((duty) => ({ duty, at: startedAt.getTime() + intervalOf(duty, hours) }))
    for (;;) {
      const [next] = due.toSorted((a, b) => a.at - b.at)
      // Nothing begins so late that its end is not part of the run.
      if (!next || next.at > endsAt - 60_000) return
      await delay(Math.max(0, next.at - Date.now()))
      const { name } = next.duty
      const seen = await next.duty.run(world).catch((error: unknown) => {
        problems.push(`${name} failed: ${String(error)}`)
        return String(error)
      })
      done.push({ name, at: elapsed(), seen })
      next.at = Math.max(Date.now(), next.at + intervalOf(next.duty, hours))
    }
  }

  async function count(): Promise<SoakResult> {
    const { traffic } = world
    // What faults have delayed.
    traffic.allow(events, 400)
    const isSent = () => traffic.acknowledged >= events
    await until('everything is acknowledged', isSent, { withinMs: 600_000 }).catch(() => undefined)
    const { stillLive } = await drain(world, say)
    const attempts = readAttempts(join(folder, 'attempts.log'))
    const counts = countOutcome({ attempts, effects: await readOwnEffects(world, seed) })
    const growths = compareFifths(taken)
    problems.push(...judge(world, { counts, growths, events, stillLive }))
    return {
      hours,
      rate,
      seed,
      startedAt: startedAt.toISOString(),
      revision,
      counts,
      done,
      growths,
      samples: taken,
      problems,
    }
  }
}

function intervalOf({ everyMinutes, atLeast }: Duty, hours: number): number {
  return Math.min(everyMinutes, (hours * 60) / (atLeast + 1)) * 60_000
}

/** Without those of the probes. */
async function readOwnEffects(world: World, seed: number) {
  const effects = await readEffects(world, seed)
  return effects.filter(({ id }) => !id.startsWith('probe_'))
}

interface Judged {
  counts: Counts
  growths: readonly Growth[]
  events: number
  stillLive: number
}

function judge({ members }: World, { counts, growths, events, stillLive }: Judged): string[] {
  return [
    counts.lost.length > 0 && `Lost: ${counts.lost.length} events.`,
    counts.duplicated.length > 0 && `Doubled: ${counts.duplicated.length} events.`,
    counts.acknowledged < events && `Never accepted: ${events - counts.acknowledged} events.`,
    stillLive > 0 && `Not handled at the end: ${stillLive} jobs.`,
    ...members.flatMap(({ unplannedExits }) =>
      unplannedExits.map((exit) => `Ended by itself: ${exit}.`),
    ),
    ...growths.map(
      ({ measure, early, late, hasGrown }) =>
        hasGrown && `${measure} has grown from ${early.toFixed(2)} to ${late.toFixed(2)}.`,
    ),
  ].filter((problem) => problem !== false)
}
