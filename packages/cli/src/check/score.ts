import type { CheckResult } from './verdict.ts'

export interface Score {
  /** 100 only where every check that counts has passed without a warning. */
  percent: number
  passed: number
  warnings: number
  failed: number
  /** For want of an option; these leave the score alone. */
  notRun: number
  /** Not reached because of another one's failure; these count as failed. */
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
