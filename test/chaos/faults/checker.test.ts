import { describe, expect, it } from 'vitest'
import { parseAttempts } from './attempt-log.ts'
import { countDuring, countOutcome } from './checker.ts'

const clean = 'sent 0\nanswered 0 202 stored\nsent 1\nanswered 1 202 stored\n'
const effectsOf = (...indices: (number | null)[]) => indices.map((index) => ({ index, at: 1 }))
const count = (log: string, ...indices: (number | null)[]) =>
  countOutcome({ attempts: parseAttempts(log), effects: effectsOf(...indices) })

describe('the checker', () => {
  it('finds no problem after a clean run', () => {
    expect(count(clean, 0, 1)).toEqual({
      attempts: 2,
      acknowledged: 2,
      processed: 2,
      lost: [],
      unexpected: 0,
      duplicated: [],
      recovered: 0,
      pausing: 0,
      timedOut: 0,
    })
  })

  it('counts acknowledged events without an effect as lost', () => {
    expect(count(clean, 0)).toMatchObject({ acknowledged: 2, processed: 1, lost: [1] })
  })

  it('counts no unacknowledged event as lost', () => {
    expect(count('sent 0\nanswered 0 503 store_failed\n')).toMatchObject({ lost: [], processed: 0 })
  })

  it('counts events with two effects as duplicated', () => {
    expect(count(clean, 0, 1, 1)).toMatchObject({ processed: 2, duplicated: [1] })
  })

  it('counts effects of events that were never sent as unexpected', () => {
    expect(count(clean, 0, 1, 2, null)).toMatchObject({ processed: 2, unexpected: 2 })
  })

  it('counts events stored by an attempt without a response as recovered', () => {
    const again = 'sent 0\nanswered 0 none reset\nsent 0\nanswered 0 200 duplicate\n'
    expect(count(again, 0)).toMatchObject({ attempts: 2, acknowledged: 1, recovered: 1 })
    expect(count('sent 0\n', 0)).toMatchObject({ acknowledged: 0, recovered: 1 })
  })

  it('does not count an event as recovered if its other copy got a response', () => {
    const both = 'sent 0\nsent 0\nanswered 0 200 duplicate\nanswered 0 202 stored\n'
    expect(count(both, 0)).toMatchObject({ recovered: 0 })
  })

  it('counts responses that pause the feed', () => {
    const log = 'sent 0\nanswered 0 401 signature_mismatch\nsent 0\nanswered 0 429 overloaded\n'
    expect(count(log)).toMatchObject({ pausing: 1 })
  })

  it('counts attempts without a response in time', () => {
    const log = 'sent 0\nanswered 0 none timeout\nsent 0\nanswered 0 503 store_timeout\n'
    expect(count(log)).toMatchObject({ timedOut: 1 })
  })

  it('skips a truncated line, and reads the next one', () => {
    expect(count('sent 0\nansw\nsent 1\nanswered 1 20')).toMatchObject({
      attempts: 2,
      acknowledged: 0,
    })
  })

  it('counts events processed during faults, and once if two faults overlap', () => {
    const effects = [5, 15, 25, 35].map((at, index) => ({ index, at }))
    const spans = [
      { from: 10, to: 20 },
      { from: 14, to: 26 },
    ]
    expect(countDuring(effects, spans)).toBe(2)
  })
})
