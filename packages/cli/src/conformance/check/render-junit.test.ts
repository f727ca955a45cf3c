import { DOMParser, type Element } from '@xmldom/xmldom'
import { describe, expect, it } from 'vitest'
import { renderJunit } from './render-junit.ts'
import { scoreOf, type CheckReport } from './run-checks.ts'
import type { CheckResult } from './verdict.ts'

const hostile = 'a <b> & "c" ]]> \u0000\u001B[31m\uD800\uFFFE\n\'d\' 🚀'
const trap = {
  name: 'express_limit',
  who: 'a body parser of Express',
  why: 'It is first.',
  fix: 'Mount the receiver first.',
  page: 'packages/express/README.md',
}
const results: CheckResult[] = [
  result({ name: 'late', group: 'Clock', outcome: 'warning', seen: '401 Unauthorized' }),
  result({ name: 'future', group: 'Clock' }),
  result({ name: 'nul', group: 'Odd bodies', outcome: 'failed', seen: hostile, durationMs: 1_234 }),
  result({ name: 'large_body', group: 'HTTP', outcome: 'failed', seen: '413', trap }),
  result({ name: 'rotation', group: 'Rotation', outcome: 'not_run', seen: 'It needs a secret.' }),
  result({ name: 'restart', outcome: 'not_run', seen: 'Nothing.', blockedBy: 'nul' }),
]

describe('the JUnit report', () => {
  it('has a test for each check, with the group as its class', () => {
    const { suite, tests } = parseJunit(reportOf(results))
    expect(attributesOf(suite)).toEqual({
      name: 'feed-receiver check',
      tests: '6',
      failures: '2',
      errors: '0',
      skipped: '2',
      time: '2.840',
      timestamp: '2026-11-02T10:00:00',
      hostname: 'localhost',
    })
    expect(tests.map((test) => attributesOf(test))).toEqual(
      results.map(({ name, group, title, durationMs }) => ({
        classname: group,
        name: `${name}: ${title}`,
        time: durationMs === 1_234 ? '1.234' : '0.003',
      })),
    )
    expect(tests.map((test) => childrenOf(test).map(({ tagName }) => tagName))).toEqual([
      ['system-out'],
      [],
      ['failure'],
      ['failure'],
      ['skipped'],
      ['skipped'],
    ])
  })

  it('prints the observation and the fix of a failure, without characters that XML forbids', () => {
    const { text, tests } = parseJunit(reportOf(results))
    // oxlint-disable-next-line no-control-regex -- they are what is looked for
    expect(text).not.toMatch(/[\u0000-\u0008\u000B-\u001F\uD800-\uDFFF\uFFFE]/u)
    const [failure] = tests.flatMap(childrenOf).filter(({ tagName }) => tagName === 'failure')
    const seen = 'a <b> & "c" ]]> [31m\n\'d\' 🚀'
    expect(failure?.getAttribute('message')).toBe(seen)
    expect(failure?.getAttribute('type')).toBe('nul')
    expect(failure?.textContent).toBe(`seen: ${seen}\nwhy: It matters.\nfix: Fix it.`)
  })

  it('names the program that answered instead of the receiver', () => {
    const { text } = parseJunit(reportOf(results))
    expect(text).toContain('who: A body parser of Express answered. It is first.')
    expect(text).toContain(
      'fix: Mount the receiver first.\nsee: https://feed-receiver.github.io/feed-receiver/packages/express/',
    )
  })

  it('says why a check did not run', () => {
    const { tests } = parseJunit(reportOf(results))
    const skipped = tests.flatMap(childrenOf).filter(({ tagName }) => tagName === 'skipped')
    expect(skipped.map((each) => each.getAttribute('message'))).toEqual([
      'It needs a secret.',
      'Nothing.',
    ])
  })

  it('has the URL and the score as properties', () => {
    const report = reportOf(results)
    const { suite } = parseJunit(report)
    const named = [...suite.getElementsByTagName('property')].map((property) => [
      property.getAttribute('name'),
      property.getAttribute('value'),
    ])
    expect(Object.fromEntries(named)).toEqual({ url: report.url, score: '30' })
  })

  it('reports checks after the deadline as errors, not as skipped', () => {
    const late = results.map((each) =>
      Object.assign({}, each, { outcome: 'not_run', blockedBy: 'deadline' }),
    )
    const { suite, tests } = parseJunit(reportOf(late))
    expect(attributesOf(suite)).toMatchObject({ errors: '6', skipped: '0', failures: '0' })
    expect(tests.flatMap(childrenOf).map(({ tagName }) => tagName)).toEqual(late.map(() => 'error'))
  })
})

function reportOf(given: CheckResult[]): CheckReport {
  const score = scoreOf(given)
  return {
    url: 'http://127.0.0.1:3000/webhooks/feed',
    startedAt: '2026-11-02T10:00:00.000Z',
    durationMs: 2_840,
    hasPassed: score.failed + score.blocked === 0,
    score,
    results: given,
  }
}

function parseJunit(report: CheckReport) {
  const text = renderJunit(report)
  const onError = (level: string, message: string) => {
    throw new Error(`${level}: ${message}`)
  }
  const { documentElement } = new DOMParser({ onError }).parseFromString(text, 'text/xml')
  const [suite] = documentElement ? childrenOf(documentElement) : []
  if (!suite) throw new Error('There is no suite.')
  expect(documentElement?.tagName).toBe('testsuites')
  const tests = childrenOf(suite).filter(({ tagName }) => tagName === 'testcase')
  expect(childrenOf(suite).map(({ tagName }) => tagName)).toEqual([
    'properties',
    ...tests.map(() => 'testcase'),
  ])
  return { text, suite, tests }
}

function childrenOf(element: Element): Element[] {
  return [...element.childNodes].filter((node): node is Element => node.nodeType === 1)
}

function attributesOf({ attributes }: Element): Record<string, string> {
  return Object.fromEntries([...attributes].map(({ name, value }) => [name, value]))
}

function result(given: Partial<CheckResult> & { name: string }): CheckResult {
  return {
    group: 'Clock',
    title: `The title of ${given.name}`,
    why: 'It matters.',
    fix: 'Fix it.',
    outcome: 'passed',
    seen: '202 Accepted in 3 ms',
    durationMs: 3,
    ...given,
  }
}
