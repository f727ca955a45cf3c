import type { Alert, Notify } from './send-notifications.ts'

/**
 * Writes one line per notification: the problem and how to fix it, or how long it lasted.
 *
 * @param write Writes the line, which has no line break. @default to the stderr of the process
 */
export function toStderr(
  write: (line: string) => unknown = (line) => process.stderr.write(`${line}\n`),
): Notify {
  return (alert) => write(lineOf(alert))
}

/** Types and streams are untrusted text, so remove everything that a terminal would obey. */
function lineOf(alert: Alert): string {
  return describeAlert(alert).replaceAll(/\p{C}+/gu, ' ')
}

/** Describes an alert in one or two sentences. */
export function describeAlert(alert: Alert): string {
  const { id, rule, message, fix, openedAt, closedAt } = alert
  if (closedAt === null) return `${openedAt} alert ${id} opened (${rule}): ${message} ${fix}`
  const lasted = describeDuration(Date.parse(closedAt) - Date.parse(openedAt))
  return `${closedAt} alert ${id} closed (${rule}) after ${lasted}: ${message}`
}

/** A duration in its largest units, such as `2 h 5 min`. */
export function describeDuration(ms: number): string {
  const minutes = Math.floor(Math.max(0, ms) / 60_000)
  if (minutes < 1) return `${Math.floor(Math.max(0, ms) / 1_000)} s`
  const [days, hours] = [Math.floor(minutes / 1_440), Math.floor(minutes / 60) % 24]
  const parts = [
    { amount: days, unit: 'd' },
    { amount: hours, unit: 'h' },
    { amount: minutes % 60, unit: 'min' },
  ]
  return parts
    .filter(({ amount }) => amount !== 0)
    .slice(0, 2)
    .map(({ amount, unit }) => `${amount} ${unit}`)
    .join(' ')
}
