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
  const { id, message, fix, openedAt, closedAt } = alert
  const name = nameOf(alert)
  const lasted = describeDuration(Date.parse(closedAt ?? openedAt) - Date.parse(openedAt))
  const line =
    closedAt === null
      ? `${openedAt} alert ${id} opened (${name}): ${message} ${fix}`
      : `${closedAt} alert ${id} closed (${name}) after ${lasted}: ${message}`
  return line.replaceAll(/\p{C}+/gu, ' ')
}

/** The rule of an alert, or the code of the health's problem: the name in the runbook. */
export function nameOf({ rule, subject }: Pick<Alert, 'rule' | 'subject'>): string {
  return rule === 'problem' ? subject : rule
}

/** A duration in its largest units, such as `2 h 5 min`. */
export function describeDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  const parts = [
    [Math.floor(minutes / 1_440), 'd'],
    [Math.floor(minutes / 60) % 24, 'h'],
    [minutes % 60, 'min'],
  ] as const
  const shown = parts.filter(([amount]) => amount > 0).slice(0, 2)
  return shown.map(([amount, unit]) => `${amount} ${unit}`).join(' ')
}
