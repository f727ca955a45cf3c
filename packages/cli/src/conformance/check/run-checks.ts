import { isError } from '@feed-receiver/core/internal'
import { acceptingChecks } from './accepting.ts'
import { forgeryChecks } from './forgeries.ts'
import { oddBodyChecks } from './odd-bodies.ts'
import { storingChecks } from './storing.ts'
import { askUntil } from './in-time.ts'
import type { Answer } from './send-request.ts'
import { createTarget, type Target, type TargetOptions } from './target.ts'
import { notRun, type Check, type CheckResult, type Pace, type Verdict } from './verdict.ts'

export const checks: readonly Check[] = [
  ...acceptingChecks,
  ...forgeryChecks,
  ...oddBodyChecks,
  ...storingChecks,
]

export interface RunChecksOptions extends Omit<TargetOptions, 'url' | 'signal'> {
  url: string | URL
  /**
   * The deadline of the run, in milliseconds. Checks that have not begun by then count as failed.
   * @default 180_000
   */
  deadlineMs?: number | undefined
  signal?: AbortSignal | undefined
  /** Called with each result when it is available, which is not the order of the report. */
  onResult?: ((result: CheckResult) => void) | undefined
}

/** The result of a run. Its JSON form is the report itself. Contains no secret and no signature. */
export interface CheckReport {
  /** Without credentials and query, which may be secret. */
  url: string
  startedAt: string
  durationMs: number
  /** Whether no check has failed. Warnings are not failures. */
  hasPassed: boolean
  score: Score
  results: CheckResult[]
}

/**
 * Runs every check against a receiver, in whatever language it is written; takes a few seconds if
 * all is well. The receiver gets some 150 to 220 deliveries, whose ids begin with `check_`.
 *
 * @throws TypeError for anything but an http or https URL, and the reason of `signal`.
 */
export async function runChecks({
  url: given,
  deadlineMs = 180_000,
  signal: outer,
  onResult = () => {},
  ...options
}: RunChecksOptions): Promise<CheckReport> {
  const url = new URL(given)
  if (!/^https?:$/.test(url.protocol)) {
    throw new TypeError('Deliveries go over http or https. Give the whole URL of the receiver.')
  }
  const startedAt = Date.now()
  const ending = new AbortController()
  const signal = AbortSignal.any(outer ? [outer, ending.signal] : [ending.signal])
  try {
    const target = createTarget({ ...options, url, signal })
    const results = await runEach(target, { deadlineMs, onResult })
    const score = scoreOf(results)
    return {
      url: url.origin + url.pathname,
      startedAt: new Date(startedAt).toISOString(),
      durationMs: Date.now() - startedAt,
      hasPassed: score.failed + score.blocked === 0,
      score,
      results,
    }
  } finally {
    ending.abort()
  }
}

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
  const { signal } = target
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
    const { run: runCheck, pace, ...texts } = check
    const { unansweredCount } = target
    const begunAt = performance.now()
    const verdict = await runCheck(target).catch(failedBy)
    const durationMs = Math.round(performance.now() - begunAt)
    const isGone = async () =>
      target.unansweredCount > unansweredCount && !(await answersAgain(target))
    const hasFailed = verdict.outcome === 'failed'
    if (hasFailed && (pace === 'gate' || (await isGone()))) blockedBy ??= check.name
    const { outcome, seen, trap } = verdict
    return { ...texts, outcome, seen, ...(trap && { trap }), durationMs }
  }

  /** An error of a restart or a count says what to fix in the command or the database. */
  function failedBy(error: unknown): Verdict {
    signal.throwIfAborted()
    const reason = isError(error) ? error.message : String(error)
    return { outcome: 'failed', seen: `the check itself failed: ${reason}` }
  }
}

/** Whether it answers other deliveries, or something restarts it within five seconds. */
async function answersAgain({ deliver, signal }: Target): Promise<boolean> {
  const isAnswer = ({ status }: Answer) => status !== null
  return isAnswer(await askUntil(() => deliver(), isAnswer, { limitMs: 5_000, signal }))
}

/** An iterator that several loops can share. */
function ofPace(pace: Pace, only?: ReadonlySet<string>): Iterable<Check> {
  const isChosen = ({ name }: Check) => only === undefined || only.has(name)
  return checks.filter((check) => check.pace === pace && isChosen(check)).values()
}

function block(check: Check, blockedBy: string): CheckResult {
  const { run: _run, pace: _pace, ...texts } = check
  const reason =
    blockedBy === 'deadline'
      ? 'The time limit of the run was reached.'
      : `Fix the failed check ${blockedBy} first.`
  return { ...texts, ...notRun(reason), durationMs: 0, blockedBy }
}

export interface Score {
  /** 100 only if every check that counts has passed without a warning. */
  percent: number
  passed: number
  warnings: number
  failed: number
  /** Checks that did not run because an option is missing. They do not affect the score. */
  notRun: number
  /** Checks that did not run because another one failed. They count as failed. */
  blocked: number
}

/** Counts the outcomes. A warning is half a point. */
export function scoreOf(results: readonly Pick<CheckResult, 'outcome' | 'blockedBy'>[]): Score {
  const count = (outcome: CheckResult['outcome']) =>
    results.filter((result) => result.outcome === outcome && !result.blockedBy).length
  const passed = count('passed')
  const warnings = count('warning')
  const failed = count('failed')
  const blocked = results.filter(({ blockedBy }) => blockedBy !== undefined).length
  const outOf = passed + warnings + failed + blocked
  const percent = outOf === 0 ? 0 : Math.floor((100 * (passed + warnings / 2)) / outOf)
  return { percent, passed, warnings, failed, notRun: count('not_run'), blocked }
}
