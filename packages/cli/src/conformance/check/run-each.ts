import { isError } from '@feed-receiver/core'
import type { Check, Pace } from './check.ts'
import { acceptingChecks } from './checks/accepting.ts'
import { forgeryChecks } from './checks/forgeries.ts'
import { oddBodyChecks } from './checks/odd-bodies.ts'
import { storingChecks } from './checks/storing.ts'
import { isListening } from './in-time.ts'
import type { Target } from './target.ts'
import { notRun, type CheckResult, type Run, type Verdict } from './verdict.ts'

/** Every check, in the order of the report. */
export const checks: readonly Check[] = [
  ...acceptingChecks,
  ...forgeryChecks,
  ...oddBodyChecks,
  ...storingChecks,
]

// More would make a receiver with a small pool look slow.
const lanes = 8

interface RunEachOptions {
  deadlineMs: number
  onResult: (result: CheckResult) => void
  /** The names of the checks that run besides the gates. @default all */
  only?: ReadonlySet<string>
}

/**
 * Runs each check at the pace of its group, and returns the results in the order of the table. If a
 * failed check makes the others pointless, they do not run.
 *
 * @throws the reason of the target's signal.
 */
export async function runEach(
  target: Target,
  { deadlineMs, onResult, only }: RunEachOptions,
): Promise<CheckResult[]> {
  const { url, signal } = target
  const endsAt = performance.now() + deadlineMs
  const found = new Map<string, CheckResult>()
  let blockedBy: string | undefined

  await takeEach(ofPace('gate'))
  const together = ofPace('together', only)
  await Promise.all(Array.from({ length: lanes }, () => takeEach(together)))
  await takeEach(ofPace('in_turn', only))
  signal.throwIfAborted()
  return checks.flatMap(({ name }) => found.get(name) ?? [])

  async function takeEach(left: Iterable<Check>): Promise<void> {
    for (const check of left) {
      signal.throwIfAborted()
      if (performance.now() > endsAt) blockedBy ??= 'deadline'
      const result = blockedBy === undefined ? await run(check) : block(check, blockedBy)
      found.set(check.name, result)
      onResult(result)
    }
  }

  async function run(check: Check): Promise<CheckResult> {
    const { brokenCount } = target
    const begunAt = performance.now()
    const verdict = await catching(check.run, target)
    const durationMs = Math.round(performance.now() - begunAt)
    // If it still listens, it has only closed this connection, or something has restarted it.
    const isGone = async () => target.brokenCount > brokenCount && !(await isListening(url, signal))
    const hasFailed = verdict.outcome === 'failed'
    if (hasFailed && (check.pace === 'gate' || (await isGone()))) blockedBy ??= check.name
    return { ...textsOf(check), ...verdict, durationMs }
  }
}

/** An iterator that several loops can share. */
function ofPace(pace: Pace, only?: ReadonlySet<string>): Iterable<Check> {
  const isChosen = ({ name }: Check) => only === undefined || only.has(name)
  return checks.filter((check) => check.pace === pace && isChosen(check)).values()
}

async function catching(run: Run, target: Target): Promise<Verdict> {
  try {
    const { outcome, seen, trap } = await run(target)
    return { outcome, seen, ...(trap && { trap }) }
  } catch (error) {
    target.signal.throwIfAborted()
    // Reports an error of a restart or a count, because it says what to fix in the command or
    // database.
    const reason = isError(error) ? error.message : String(error)
    return { outcome: 'failed', seen: `the check itself failed: ${reason}` }
  }
}

function block(check: Check, blockedBy: string): CheckResult {
  const reason =
    blockedBy === 'deadline'
      ? 'The time limit of the run was reached.'
      : `Fix the failed check ${blockedBy} first.`
  return { ...textsOf(check), ...notRun(reason), durationMs: 0, blockedBy }
}

function textsOf({ name, group, title, why, fix }: Check) {
  return { name, group, title, why, fix }
}
