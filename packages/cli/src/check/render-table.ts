import type { CheckResult } from './verdict.ts'
import type { CheckReport } from './run-checks.ts'

/** The report as text for a terminal, without colours; ends with a line end. */
export function renderTable({ url, results, score, durationMs }: CheckReport): string {
  const groups = [...new Set(results.map(({ group }) => group))]
  const tables = groups.map((group) => renderGroup(group, results))
  const bad = results.filter(({ outcome }) => outcome === 'failed' || outcome === 'warning')
  const advice = bad.length === 0 ? [] : [`What to mend\n\n${renderAdvice(bad)}`]
  const { percent, passed, warnings, failed, notRun, blocked } = score
  const counts = [
    `${passed} passed`,
    `${warnings} with a warning`,
    `${failed} failed`,
    ...(blocked > 0 ? [`${blocked} not reached`] : []),
    `${notRun} not run`,
  ]
  const seconds = (durationMs / 1_000).toFixed(1)
  const summary = `Score: ${percent} of 100 in ${seconds} s\n${counts.join(', ')}`
  return `${[`Checked ${url}`, ...tables, ...advice, summary].join('\n\n')}\n`
}

const words = { passed: 'ok', warning: 'warning', failed: 'FAILED', not_run: 'not run' } as const

function renderGroup(group: string, results: readonly CheckResult[]): string {
  const nameWidth = Math.max(...results.map(({ name }) => name.length))
  const lines = results
    .filter((result) => result.group === group)
    .map(({ name, outcome, title, seen }) => {
      const says = outcome === 'not_run' ? seen : title
      return `  ${words[outcome].padEnd(7)}  ${name.padEnd(nameWidth)}  ${says}`
    })
  return [group, ...lines].join('\n')
}

/** What was seen in each, and why and how to mend it once for all that share it. */
function renderAdvice(bad: readonly CheckResult[]): string {
  const shared = new Map<string, CheckResult[]>()
  for (const result of bad) {
    const advice = [indent('why', result.why), indent('fix', result.fix)].join('\n')
    shared.set(advice, [...(shared.get(advice) ?? []), result])
  }
  return [...shared]
    .map(([advice, results]) => [...results.map(renderSeen), advice].join('\n'))
    .join('\n\n')
}

function renderSeen({ name, title, outcome, seen }: CheckResult): string {
  return `  ${words[outcome]}  ${name}: ${title}\n${indent('seen', seen)}`
}

/** A labelled text, wrapped between words at 88 characters. */
function indent(label: string, text: string): string {
  const lines = text.match(/(?! )(?:.{1,88}|\S+)(?= |$)/gs) ?? ['']
  return lines
    .map((line, index) => `    ${(index === 0 ? label : '').padEnd(5)} ${line}`)
    .join('\n')
}
