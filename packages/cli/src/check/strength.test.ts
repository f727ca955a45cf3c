import { describe, expect, it } from 'vitest'
import { checks } from './run-each.ts'
import { describeStrength, strengthOf } from './strength.ts'
import type { Outcome } from './verdict.ts'
import wrongReceivers from './wrong-receivers.json' with { type: 'json' }

const known = wrongReceivers.length
const names = checks.map(({ text }) => text.name)

/** Results of a run in which these checks did not run, and the others had this outcome. */
function resultsOf(notRun: readonly string[], outcome: Outcome = 'passed') {
  return names.map(
    (name) => ({ name, outcome: notRun.includes(name) ? 'not_run' : outcome }) as const,
  )
}

describe('the strength of a run', () => {
  it('is 100 % if every check ran, whatever the outcomes', () => {
    for (const outcome of ['passed', 'warning', 'failed'] as const) {
      expect(strengthOf(resultsOf([], outcome))).toEqual({
        percent: 100,
        found: known,
        known,
        missed: [],
      })
    }
  })

  it('falls with each mistake that only a missing check finds, and is rounded down', () => {
    const { percent, found, missed } = strengthOf(resultsOf(['rotation']))
    expect(missed).toEqual([
      {
        name: 'one-secret',
        mistake: 'accepts only one secret, so a rotation pauses the feed',
        checks: ['rotation'],
      },
    ])
    expect(found).toBe(known - 1)
    expect(percent).toBe(Math.floor((100 * found) / known))
  })

  it('counts a mistake as found if another check finds it', () => {
    // signature_doubled finds prefix-compare, as do signature_cut and signature_two_v1.
    expect(strengthOf(resultsOf(['signature_doubled'])).percent).toBe(100)
  })

  it('is 0 % if no check ran', () => {
    expect(strengthOf(resultsOf(names))).toMatchObject({ percent: 0, found: 0, known })
  })

  it('is described in words, with the checks that did not run', () => {
    expect(describeStrength(strengthOf(resultsOf([])))).toEqual([
      `This run would have found ${known} of ${known} known mistakes.`,
    ])
    const notRun = ['rotation', 'restart', 'stored_once_after_restart', 'stored_once']
    const [says, misses] = describeStrength(strengthOf(resultsOf(notRun)))
    expect(says).toBe(`This run would have found ${known - 4} of ${known} known mistakes.`)
    expect(misses).toBe(
      'It did not run: stored_once_after_restart, stored_once, restart, rotation.',
    )
    const [, many] = describeStrength(strengthOf(resultsOf(names)))
    expect(many).toMatch(/^It did not run: (?:\w+, ){7}\w+ and \d+ more\.$/)
  })
})

describe('the table of known mistakes', () => {
  it('names an existing check for each mistake', () => {
    for (const { name, failed, warnings } of wrongReceivers) {
      const all: string[] = [...failed, ...warnings]
      expect([name, all.length > 0]).toEqual([name, true])
      expect(all.filter((check) => !names.includes(check))).toEqual([])
    }
  })
})
