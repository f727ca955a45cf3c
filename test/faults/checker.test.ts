import { describe, expect, it } from 'vitest'
import { parseAttempts } from './attempt-log.ts'
import { countDuring, countOutcome } from './checker.ts'

const clean = 'sent 0\nanswered 0 202 stored\nsent 1\nanswered 1 202 stored\n'
const effectsOf = (...indices: (number | null)[]) => indices.map((index) => ({ index, at: 1 }))
const count = (log: string, ...indices: (number | null)[]) =>
  countOutcome({ attempts: parseAttempts(log), effects: effectsOf(...indices) })

describe('the checker', () => {
  it('finds nothing where all went well', () => {
    expect(count(clean, 0, 1)).toEqual({
      attempts: 2,
      acknowledged: 2,
      processed: 2,
      lost: [],
      unexpected: 0,
      duplicated: [],
      recovered: 0,
      pausing: 0,
    })
  })

  it('calls lost what was acknowledged and has no effect', () => {
    expect(count(clean, 0)).toMatchObject({ acknowledged: 2, processed: 1, lost: [1] })
  })

  it('does not call lost what was never acknowledged', () => {
    expect(count('sent 0\nanswered 0 503 store_failed\n')).toMatchObject({ lost: [], processed: 0 })
  })

  it('calls duplicated what has two effects', () => {
    expect(count(clean, 0, 1, 1)).toMatchObject({ processed: 2, duplicated: [1] })
  })

  it('calls unexpected what was never sent, and what is no event of the run', () => {
    expect(count(clean, 0, 1, 2, null)).toMatchObject({ processed: 2, unexpected: 2 })
  })

  it('calls recovered what was stored by an attempt without an answer', () => {
    const again = 'sent 0\nanswered 0 none reset\nsent 0\nanswered 0 200 duplicate\n'
    expect(count(again, 0)).toMatchObject({ attempts: 2, acknowledged: 1, recovered: 1 })
    expect(count('sent 0\n', 0)).toMatchObject({ acknowledged: 0, recovered: 1 })
  })

  it('does not call recovered what the other of two copies brought', () => {
    const both = 'sent 0\nsent 0\nanswered 0 200 duplicate\nanswered 0 202 stored\n'
    expect(count(both, 0)).toMatchObject({ recovered: 0 })
  })

  it('counts the answers that pause the feed', () => {
    const log = 'sent 0\nanswered 0 401 signature_mismatch\nsent 0\nanswered 0 429 overloaded\n'
    expect(count(log)).toMatchObject({ pausing: 1 })
  })

  it('leaves out a line that was cut off, and reads the one after it', () => {
    expect(count('sent 0\nansw\nsent 1\nanswered 1 20')).toMatchObject({
      attempts: 2,
      acknowledged: 0,
    })
  })

  it('counts what was processed while a fault lasted, and once where two did', () => {
    const effects = [5, 15, 25, 35].map((at, index) => ({ index, at }))
    const spans = [
      { from: 10, to: 20 },
      { from: 14, to: 26 },
    ]
    expect(countDuring(effects, spans)).toBe(2)
  })
})
