import { describe, expect, it } from 'vitest'
import { scoreOf } from './run-checks.ts'
import type { Outcome } from './verdict.ts'

const of = (...outcomes: Outcome[]) => outcomes.map((outcome) => ({ outcome }))

describe('the score', () => {
  it('is 100 if every check passed', () => {
    expect(scoreOf(of('passed', 'passed'))).toMatchObject({ percent: 100, passed: 2 })
  })

  it('ignores checks that did not run', () => {
    expect(scoreOf(of('passed', 'not_run'))).toMatchObject({ percent: 100, notRun: 1, blocked: 0 })
    expect(scoreOf(of('failed', 'passed', 'not_run')).percent).toBe(50)
  })

  it('counts checks that were not reached as failed', () => {
    const blocked = { outcome: 'not_run', blockedBy: 'authentic' } as const
    const score = scoreOf([...of('passed', 'failed'), blocked, blocked])
    expect(score).toEqual({ percent: 25, passed: 1, warnings: 0, failed: 1, notRun: 0, blocked: 2 })
  })

  it('counts a warning as half a point, and never rounds up to 100', () => {
    expect(scoreOf(of('passed', 'warning')).percent).toBe(75)
    const many = Array.from({ length: 999 }, () => 'passed' as const)
    expect(scoreOf(of(...many, 'warning')).percent).toBe(99)
  })

  it('is 0 if no check ran', () => {
    expect(scoreOf(of('not_run'))).toMatchObject({ percent: 0, notRun: 1 })
  })
})
