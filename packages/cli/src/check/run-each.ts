import type { Check, CheckResult, Pace } from './check.ts'
import { checks, type PlacedCheck } from './checks.ts'
import { isListening } from './is-listening.ts'
import type { Target } from './target.ts'
import { accepted, judgeEach, notRun, type Verdict } from './verdict.ts'

// More would make a receiver with a small pool look slow.
const lanes = 8

/**
 * Runs each check at the pace of its group, and gives the results in the order of the table. If one
 * leaves nothing to learn from the others, those are not run.
 *
 * @throws the reason of the target's signal.
 */
export async function runEach(
  target: Target,
  { deadlineMs, onResult }: { deadlineMs: number; onResult: (result: CheckResult) => void },
): Promise<CheckResult[]> {
  const { url, signal } = target
  const endsAt = performance.now() + deadlineMs
  const found = new Map<string, CheckResult>()
  let blockedBy: string | undefined

  await takeEach(ofPace('gate'))
  const together = ofPace('together')
  await Promise.all(Array.from({ length: lanes }, () => takeEach(together)))
  await takeEach(ofPace('in_turn'))
  signal.throwIfAborted()
  return checks.flatMap(({ name }) => found.get(name) ?? [])

  async function takeEach(left: Iterable<PlacedCheck>): Promise<void> {
    for (const placed of left) {
      signal.throwIfAborted()
      if (performance.now() > endsAt) blockedBy ??= 'deadline'
      const result = blockedBy === undefined ? await run(placed) : block(placed, blockedBy)
      found.set(placed.name, result)
      onResult(result)
    }
  }

  async function run(placed: PlacedCheck): Promise<CheckResult> {
    const { name, pace, check } = placed
    const { brokenCount } = target
    const begunAt = performance.now()
    const { outcome, seen } = await runCheck(check, target)
    const durationMs = Math.round(performance.now() - begunAt)
    // While it listens, it has only closed this connection, or something has restarted it.
    const isGone = async () => target.brokenCount > brokenCount && !(await isListening(url, signal))
    if (outcome === 'failed' && (pace === 'gate' || (await isGone()))) blockedBy ??= name
    return { ...describe(placed), outcome, seen, durationMs }
  }
}

/** An iterator that several loops can share. */
function ofPace(pace: Pace): Iterable<PlacedCheck> {
  return checks.filter((placed) => placed.pace === pace).values()
}

async function runCheck(check: Check, target: Target): Promise<Verdict> {
  try {
    if ('run' in check) return await check.run(target)
    const { send, each, expect = accepted } = check
    if (!each) return expect(await target.deliver(send))
    const sent = Object.entries(each).map(
      ([label, delivery]) => [label, target.deliver(delivery)] as const,
    )
    return await judgeEach(Object.fromEntries(sent), expect)
  } catch (error) {
    target.signal.throwIfAborted()
    // What a restart or a count throws is told: it says what to mend in the command or database.
    const reason = error instanceof Error ? error.message : String(error)
    return { outcome: 'failed', seen: `the check itself failed: ${reason}` }
  }
}

function block(placed: PlacedCheck, blockedBy: string): CheckResult {
  const reason =
    blockedBy === 'deadline'
      ? 'The run had used up its time.'
      : `Nothing can be learnt from it before ${blockedBy} has passed.`
  return { ...describe(placed), ...notRun(reason), durationMs: 0, blockedBy }
}

function describe({ name, group, check: { title, why, fix } }: PlacedCheck) {
  return { name, group, title, why, fix }
}
