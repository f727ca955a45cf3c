import { describe, expect, it } from 'vitest'
import { scoreOf } from './run-checks.ts'
import type { Outcome } from './verdict.ts'

const of = (...outcomes: Outcome[]) => outcomes.map((outcome) => ({ outcome }))

describe('the score', () => {
  it('is full where everything has passed', () => {
    expect(scoreOf(of('passed', 'passed'))).toMatchObject({ percent: 100, passed: 2 })
  })

  it('leaves out what was not run', () => {
    expect(scoreOf(of('passed', 'not_run'))).toMatchObject({ percent: 100, notRun: 1, blocked: 0 })
    expect(scoreOf(of('failed', 'passed', 'not_run')).percent).toBe(50)
  })

  it('counts what could not be reached as failed', () => {
    const blocked = { outcome: 'not_run', blockedBy: 'authentic' } as const
    const score = scoreOf([...of('passed', 'failed'), blocked, blocked])
    expect(score).toEqual({ percent: 25, passed: 1, warnings: 0, failed: 1, notRun: 0, blocked: 2 })
  })

  it('gives half for a warning, and never rounds up to the full score', () => {
    expect(scoreOf(of('passed', 'warning')).percent).toBe(75)
    const many = Array.from({ length: 999 }, () => 'passed' as const)
    expect(scoreOf(of(...many, 'warning')).percent).toBe(99)
  })

  it('is nothing where nothing counts', () => {
    expect(scoreOf(of('not_run'))).toMatchObject({ percent: 0, notRun: 1 })
  })
})
