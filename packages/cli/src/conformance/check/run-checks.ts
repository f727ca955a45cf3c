import type { CheckResult } from './verdict.ts'
import { runEach } from './run-each.ts'
import { createTarget, type TargetOptions } from './target.ts'

export interface RunChecksOptions extends Omit<TargetOptions, 'url' | 'signal'> {
  /** The URL of the receiver. */
  url: string | URL
  /**
   * The deadline of the run, in milliseconds. Checks that have not begun by then count as failed.
   * @default 180_000
   */
  deadlineMs?: number | undefined
  /** Aborts the run. */
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
