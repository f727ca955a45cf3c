import type { Inbox } from '@feed-receiver/inbox'
import {
  alertTables,
  createAlerts,
  type AlertRow,
  type Alerts,
} from '@feed-receiver/operate/alerts'
import type { CommandExtension } from './options/inbox-options.ts'
import { oneLine } from './output/format-table.ts'

/** Reads the alerts of inboxes that have their tables. */
export type AlertReader = ReturnType<typeof createAlertReader>

export function createAlertReader() {
  const found = new Map<Inbox, Pick<Alerts, 'list'>>()
  const extension: CommandExtension = {
    ...alertTables,
    add: (inbox) => found.set(inbox, createAlerts({ inbox, notify: () => undefined })),
  }
  return {
    /** For `withInbox` and `withShards`. */
    extension,
    /** Undefined for an inbox without tables of alerts. */
    of: (inbox: Inbox) => found.get(inbox),
  }
}

/** The fixes of open alerts, one line per rule. */
export function fixesOf(alerts: readonly AlertRow[]): string[] {
  const open = alerts.filter(({ closedAt }) => closedAt === null)
  return [...new Map(open.map(({ rule, fix }) => [rule, `${rule}: ${oneLine(fix)}`])).values()]
}
