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
export interface AlertReader {
  /** For `withInbox` and `withShards`. */
  extension: CommandExtension
  /** The alerts of an inbox; undefined if it has no tables for them. */
  of(inbox: Inbox): Pick<Alerts, 'list'> | undefined
}

export function createAlertReader(): AlertReader {
  const found = new Map<Inbox, Alerts>()
  return {
    extension: {
      ...alertTables,
      add: (inbox) => found.set(inbox, createAlerts({ inbox, notify: () => undefined })),
    },
    of: (inbox) => found.get(inbox),
  }
}

/** The fixes of open alerts, one line per rule. */
export function fixesOf(alerts: readonly AlertRow[]): string[] {
  const open = alerts.filter(({ closedAt }) => closedAt === null)
  return [...new Map(open.map(({ rule, fix }) => [rule, `${rule}: ${oneLine(fix)}`])).values()]
}
