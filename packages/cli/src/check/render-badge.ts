import type { CheckReport } from './run-checks.ts'

/** A badge as the endpoint badge of shields.io reads it. */
interface Badge {
  schemaVersion: 1
  label: string
  message: string
  color: string
  /** Keeps a query of the badge's URL from changing the colour. */
  isError?: true
}

/** The report as JSON for an endpoint badge of shields.io. */
export function renderBadge({ score, strength, hasPassed, results }: CheckReport): string {
  const { passed, warnings } = score
  const counts = [
    `${passed} of ${results.length}`,
    ...(warnings === 0 ? [] : [`${warnings} warning${warnings === 1 ? '' : 's'}`]),
    `strength ${strength.percent} %`,
  ]
  const badge: Badge = {
    schemaVersion: 1,
    label: 'feed-receiver check',
    message: counts.join(', '),
    color: hasPassed ? colorOf(warnings, score.notRun) : 'red',
    ...(hasPassed ? {} : { isError: true }),
  }
  return `${JSON.stringify(badge)}\n`
}

function colorOf(warnings: number, notRun: number): string {
  if (warnings > 0) return 'yellow'
  return notRun > 0 ? 'green' : 'brightgreen'
}
