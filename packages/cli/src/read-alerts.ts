import type { Inbox } from '@feed-receiver/inbox'
import { alertTables, createAlerts, type Alerts } from '@feed-receiver/operate/alerts'
import type { CommandExtension } from './options/inbox-options.ts'

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
