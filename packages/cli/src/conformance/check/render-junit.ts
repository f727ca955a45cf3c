import { fixLines } from './render-table.ts'
import type { CheckReport } from './run-checks.ts'
import type { CheckResult } from './verdict.ts'

/**
 * The report as JUnit XML, which CI systems read. A check that did not run is skipped, and a
 * warning is a passed test with output: JUnit has no warnings.
 */
export function renderJunit({ url, startedAt, durationMs, score, results }: CheckReport): string {
  const counts = {
    tests: results.length,
    failures: results.filter(({ outcome }) => outcome === 'failed').length,
    errors: results.filter(isTooLate).length,
    skipped: results.filter((result) => result.outcome === 'not_run' && !isTooLate(result)).length,
    time: seconds(durationMs),
  }
  const name = 'feed-receiver check'
  const suite = {
    name,
    ...counts,
    timestamp: startedAt.replace(/\.\d+Z$/, ''),
    hostname: 'localhost',
  }
  const properties = [
    element('property', { name: 'url', value: url }),
    element('property', { name: 'score', value: score.percent }),
  ]
  const tests = element('testsuite', suite, [
    element('properties', {}, properties),
    ...results.map(renderCase),
  ])
  const head = '<?xml version="1.0" encoding="UTF-8"?>'
  return `${head}\n${element('testsuites', { name, ...counts }, [tests])}\n`
}

function renderCase(result: CheckResult): string {
  const { group, name, title, durationMs } = result
  const test = { classname: group, name: `${name}: ${title}`, time: seconds(durationMs) }
  return element('testcase', test, renderOutcome(result))
}

function renderOutcome(result: CheckResult): string[] {
  const { name, outcome, seen } = result
  if (outcome === 'passed') return []
  if (outcome === 'not_run') {
    return [element(isTooLate(result) ? 'error' : 'skipped', { message: seen })]
  }
  const lines = fixLines(result).map(([label, text]) => `${label}: ${text}`)
  const text = escape([`seen: ${seen}`, ...lines].join('\n'))
  if (outcome === 'warning') return [element('system-out', {}, [`warning\n${text}`])]
  return [element('failure', { message: seen, type: name }, [text])]
}

/** Nothing has failed if the time of a run is over, and yet the run has not passed. */
function isTooLate({ blockedBy }: CheckResult): boolean {
  return blockedBy === 'deadline'
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1_000).toFixed(3)
}

/** An element with escaped attributes and with content that is XML already. */
function element(
  tag: string,
  attributes: Record<string, string | number>,
  content: readonly string[] = [],
): string {
  const written = Object.entries(attributes).map(
    // A parser turns line breaks in attributes into blanks.
    ([name, value]) => ` ${name}="${escape(String(value)).replaceAll('\n', '&#10;')}"`,
  )
  const open = `<${tag}${written.join('')}`
  if (content.length === 0) return `${open}/>`
  return `${open}>${content.join('\n')}</${tag}>`
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Text for XML. Characters that XML forbids, or that a terminal would obey, are removed. */
function escape(text: string): string {
  return text.replaceAll(forbidden, '').replaceAll(/[&<>"]/g, (one) => entities[one] ?? one)
}

const forbidden =
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\uD800-\uDFFF\uFFFE\uFFFF]/gu
