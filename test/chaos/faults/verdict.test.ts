import { describe, expect, it } from 'vitest'
import { judge, type Judged } from './verdict.ts'

const clean: Judged = {
  counts: {
    attempts: 3_000,
    acknowledged: 2_000,
    processed: 2_000,
    lost: [],
    unexpected: 0,
    duplicated: [],
    recovered: 4,
    pausing: 0,
    timedOut: 0,
  },
  events: 2_000,
  planned: 1,
  strikes: [{ name: 'latency' }],
  unplannedExits: [],
  processedDuringFaults: 1_000,
  stillLive: 0,
}

describe('the verdict', () => {
  it('passes a clean run', () => {
    expect(judge(clean)).toEqual([])
  })

  it.each<[string, Partial<Judged>]>([
    ['Lost: 2 events (3, 4).', { counts: { ...clean.counts, lost: [3, 4] } }],
    ['Duplicated: 1 events (7).', { counts: { ...clean.counts, duplicated: [7] } }],
    ['Unexpected: 1 effects', { counts: { ...clean.counts, unexpected: 1 } }],
    ['Answers that pause the feed: 1.', { counts: { ...clean.counts, pausing: 1 } }],
    ['without an answer within 10 s: 2', { counts: { ...clean.counts, timedOut: 2 } }],
    ['Unplanned exit: worker-0 (pid 5)', { unplannedExits: ['worker-0 (pid 5) ended with 1'] }],
    [
      'latency is not proved: it was quick',
      { strikes: [{ name: 'latency', problem: 'it was quick' }] },
    ],
    ['no fault was planned', { planned: 0, strikes: [] }],
    ['1 of 2 faults were left out after that', { planned: 2 }],
    ['999 events were processed while faults happened', { processedDuringFaults: 999 }],
    ['3 jobs were still live', { stillLive: 3 }],
    ['1 events were never acknowledged', { counts: { ...clean.counts, acknowledged: 1_999 } }],
  ])('reports: %s', (sentence, change) => {
    expect(judge({ ...clean, ...change })).toEqual([expect.stringContaining(sentence)])
  })

  it('requires half of the events of a short run to be processed during faults', () => {
    const counts = { ...clean.counts, acknowledged: 200 }
    expect(judge({ ...clean, counts, events: 200, processedDuringFaults: 100 })).toEqual([])
    expect(judge({ ...clean, counts, events: 200, processedDuringFaults: 99 })).toHaveLength(1)
  })
})
