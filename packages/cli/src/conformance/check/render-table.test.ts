import { describe, expect, it } from 'vitest'
import type { CheckResult } from './verdict.ts'
import { renderTable } from './render-table.ts'
import { scoreOf } from './run-checks.ts'

describe('the table', () => {
  it('lists every check by group, and how to fix those that did not pass', () => {
    const results: CheckResult[] = [
      result({ name: 'late', group: 'Clock', outcome: 'warning', seen: '401 Unauthorized' }),
      result({ name: 'future', group: 'Clock' }),
      result({ name: 'chunked', group: 'HTTP', outcome: 'failed', seen: '411 Length Required' }),
      result({ name: 'nul', group: 'HTTP', outcome: 'failed', seen: '400', fix: 'Otherwise.' }),
      result({ name: 'rotation', group: 'Rotation', outcome: 'not_run', seen: 'It needs more.' }),
    ]
    const startedAt = '2026-11-02T10:00:00.000Z'
    const url = 'http://127.0.0.1:3000/feed'
    const score = scoreOf(results)
    const report = { url, startedAt, durationMs: 2_840, hasPassed: false, score, results }
    expect(renderTable(report)).toBe(`Checked http://127.0.0.1:3000/feed

Clock
  warning  late      The title of late
  ok       future    The title of future

HTTP
  FAILED   chunked   The title of chunked
  FAILED   nul       The title of nul

Rotation
  not run  rotation  It needs more.

How to fix

  warning  late: The title of late
    seen  401 Unauthorized
  FAILED  chunked: The title of chunked
    seen  411 Length Required
    why   It matters, and this is a sentence that is longer than one line of a terminal would be,
          so that it goes on.
    fix   Fix it.

  FAILED  nul: The title of nul
    seen  400
    why   It matters, and this is a sentence that is longer than one line of a terminal would be,
          so that it goes on.
    fix   Otherwise.

Score: 37 of 100 in 2.8 s
1 passed, 1 with a warning, 2 failed, 1 not run
`)
  })

  it('prints the fix of a trap instead of its own, once for all checks that share it', () => {
    const trap = {
      name: 'a',
      who: 'the parser of x',
      why: 'It is first.',
      fix: 'Move it.',
      page: 'docs/p.md',
    }
    const results = ['nul', 'not_json'].map((name) =>
      result({ name, outcome: 'failed', seen: '400', why: 'Because.', trap }),
    )
    const rest = { url: 'http://a/', startedAt: '', durationMs: 0, hasPassed: false }
    expect(renderTable({ ...rest, score: scoreOf(results), results })).toContain(`
  FAILED  nul: The title of nul
    seen  400
  FAILED  not_json: The title of not_json
    seen  400
    who   The parser of x answered. It is first.
    why   Because.
    fix   Move it.
    see   https://feed-receiver.github.io/feed-receiver/p
`)
  })

  it('prints no fix if every check passed', () => {
    const results = [result({ name: 'late' })]
    const rest = { url: 'http://a/', startedAt: '', durationMs: 0, hasPassed: true }
    const table = renderTable({ ...rest, score: scoreOf(results), results })
    expect(table).not.toContain('How to fix')
    expect(table).toContain('Score: 100 of 100')
  })
})

function result(given: Partial<CheckResult> & { name: string }): CheckResult {
  return {
    group: 'Clock',
    title: `The title of ${given.name}`,
    why:
      'It matters, and this is a sentence that is longer than one line of a terminal would be, ' +
      'so that it goes on.',
    fix: 'Fix it.',
    outcome: 'passed',
    seen: '202 Accepted in 3 ms',
    durationMs: 3,
    ...given,
  }
}
