import type { CheckResult } from './check-result.ts'
import type { Check, CheckGroup } from './check.ts'
import { checks } from './checks.ts'
import { isListening } from './is-listening.ts'
import type { Target } from './target.ts'
import { notRun, type Verdict } from './verdict.ts'

export interface RunEachOptions {
  deadlineMs: number
  onResult: (result: CheckResult) => void
}

/**
 * Runs each check at the pace of its group, and gives the results in the order of the table. Where
 * one leaves nothing to learn from the others, those are not run.
 *
 * @throws the reason of the target's signal.
 */
export async function runEach(
  target: Target,
  { deadlineMs, onResult }: RunEachOptions,
): Promise<CheckResult[]> {
  const { url, signal } = target
  const endsAt = performance.now() + deadlineMs
  const found = new Map<Check, CheckResult>()
  let blockedBy: string | undefined

  for (const place of placesOf('gate')) {
    const { outcome } = await take(place)
    if (outcome === 'failed') blockedBy ??= place.check.name
  }
  await together(placesOf('together'), take)
  for (const place of placesOf('in_turn')) await take(place)
  signal.throwIfAborted()
  return checks.flatMap((group) => group.checks.flatMap((check) => found.get(check) ?? []))

  async function take(place: Place): Promise<CheckResult> {
    signal.throwIfAborted()
    if (performance.now() > endsAt) blockedBy ??= 'deadline'
    const result = blockedBy === undefined ? await run(place) : block(place, blockedBy)
    found.set(place.check, result)
    onResult(result)
    return result
  }

  async function run({ check, group }: Place): Promise<CheckResult> {
    const { brokenCount } = target
    const begunAt = performance.now()
    const { outcome, seen } = await judge(check, target)
    const durationMs = Math.round(performance.now() - begunAt)
    const hasBroken = outcome === 'failed' && target.brokenCount > brokenCount
    if (hasBroken && group.pace !== 'gate') {
      // It may only have closed this connection, or be restarted by whatever watches over it.
      if (!(await isListening(url, signal))) blockedBy ??= check.name
    }
    return { ...describe(check, group), outcome, seen, durationMs }
  }
}

interface Place {
  check: Check
  group: CheckGroup
}

function placesOf(pace: CheckGroup['pace']): Place[] {
  return checks
    .filter((group) => group.pace === pace)
    .flatMap((group) => group.checks.map((check) => ({ check, group })))
}

// More would make a receiver with a small pool look slow.
const width = 8

async function together(places: Place[], take: (place: Place) => Promise<unknown>): Promise<void> {
  const left = places.values()
  const lane = async () => {
    for (const place of left) await take(place)
  }
  await Promise.all(Array.from({ length: width }, lane))
}

async function judge(check: Check, target: Target): Promise<Verdict> {
  try {
    return await check.run(target)
  } catch (error) {
    target.signal.throwIfAborted()
    // What a restart or a count throws is told: it says what to mend in the command or database.
    const reason = error instanceof Error ? error.message : String(error)
    return { outcome: 'failed', seen: `the check itself failed: ${reason}` }
  }
}

function block({ check, group }: Place, blockedBy: string): CheckResult {
  const reason =
    blockedBy === 'deadline'
      ? 'The run had used up its time.'
      : `Nothing can be learnt from it before ${blockedBy} has passed.`
  return { ...describe(check, group), ...notRun(reason), durationMs: 0, blockedBy }
}

function describe({ name, title, why, fix }: Check, group: CheckGroup) {
  return { name, group: group.title, title, why, fix }
}
