import type { AlertRow } from '@feed-receiver/operate/alerts'
import { oneLine } from './format-table.ts'

/** The fixes of open alerts, one line per rule. */
export function fixesOf(alerts: readonly AlertRow[]): string[] {
  const open = alerts.filter(({ closedAt }) => closedAt === null)
  return [...new Map(open.map(({ rule, fix }) => [rule, `${rule}: ${oneLine(fix)}`])).values()]
}
