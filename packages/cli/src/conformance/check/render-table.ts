import { many, present } from '../../output/words.ts'
import { describeWho, guideUrl } from '../traps/find-trap.ts'
import type { CheckResult } from './verdict.ts'
import type { CheckReport } from './run-checks.ts'

/** The report as text for a terminal, without colours; ends with a newline. */
export function renderTable({ url, results, score, durationMs }: CheckReport): string {
  const reached = results.filter(({ blockedBy }) => blockedBy === undefined)
  const groups = [...new Set(reached.map(({ group }) => group))]
  const tables = groups.map((group) => renderGroup(group, reached))
  const bad = results.filter(({ outcome }) => outcome === 'failed' || outcome === 'warning')
  const fixes = present(bad.length > 0 && `How to fix\n\n${renderFixes(bad)}`)
  const { percent, passed, warnings, failed, notRun, blocked } = score
  const counts = present(
    `${passed} passed`,
    `${warnings} with a warning`,
    `${failed} failed`,
    blocked > 0 && `${blocked} not reached`,
    `${notRun} not run`,
  )
  const seconds = (durationMs / 1_000).toFixed(1)
  const summary = `Score: ${percent} of 100 in ${seconds} s\n${counts.join(', ')}`
  return `${[`Checked ${url}`, ...tables, ...renderBlocked(results), ...fixes, summary].join('\n\n')}\n`
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

/** Explains once per cause why checks did not run, however many they are. */
function renderBlocked(results: readonly CheckResult[]): string[] {
  const reasons = results.flatMap(({ blockedBy, seen }) => (blockedBy === undefined ? [] : [seen]))
  return [...new Set(reasons)].map((reason) => {
    const count = reasons.filter((one) => one === reason).length
    return `Not reached: ${many(count, 'check')}. ${reason}`
  })
}

/** The observation of each bad check, then its reason and fix once for all that share them. */
function renderFixes(bad: readonly CheckResult[]): string {
  const shared = new Map<string, CheckResult[]>()
  for (const result of bad) {
    const fix = fixLines(result)
      .map(([label, text]) => indent(label, text))
      .join('\n')
    shared.set(fix, [...(shared.get(fix) ?? []), result])
  }
  return [...shared]
    .map(([fix, results]) => [...results.map(renderSeen), fix].join('\n'))
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

/**
 * Why a check matters and how to fix the receiver, as labels and texts. The fix of a trap is
 * better than that of the check, because it says who has to change something.
 */
export function fixLines({ why, fix, trap }: CheckResult): [label: string, text: string][] {
  if (!trap)
    return [
      ['why', why],
      ['fix', fix],
    ]
  return [
    ['who', describeWho(trap)],
    ['why', why],
    ['fix', trap.fix],
    ['see', guideUrl(trap)],
  ]
}
