import type { Inbox } from '@feed-receiver/inbox'
import { findNotified } from '@feed-receiver/inbox/internal'
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

/** The open alerts of all shards that have tables for them. At least one shard must answer. */
export async function listOpenAlerts(
  shards: readonly Inbox[],
  alerts: Pick<AlertReader, 'of'>,
): Promise<AlertRow[]> {
  const open = shards.flatMap((shard) => alerts.of(shard)?.list({ state: 'open' }) ?? [])
  return (await ofAnswering(open)).flat()
}

/** The answers of the shards that answer, of which there must be one. */
export async function ofAnswering<Answer>(asked: readonly Promise<Answer>[]): Promise<Answer[]> {
  const answers = await Promise.allSettled(asked)
  const [error] = answers.filter((answer) => answer.status === 'rejected')
  const given = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  if (error && given.length === 0) throw error.reason
  return given
}

/**
 * Puts open alerts beside the problems with these codes. `others` are the alerts of none of them,
 * for example because their problem is over.
 */
export function matchAlerts(codes: readonly string[], alerts: readonly AlertRow[]) {
  return {
    others: alerts.filter((alert) => findNotified(codes, alert) === null),
    /** A sentence with the time since when somebody is notified of a problem; '' if nobody is. */
    since(code: string, isAbout: (alert: AlertRow) => boolean = () => true): string {
      const own = alerts.filter((alert) => findNotified(codes, alert) === code && isAbout(alert))
      const [first] = own.map(({ openedAt }) => openedAt).toSorted()
      return first === undefined ? '' : ` Alert open since ${first}.`
    },
  }
}

/** The fixes of open alerts, one line per rule. */
export function fixesOf(alerts: readonly AlertRow[]): string[] {
  const open = alerts.filter(({ closedAt }) => closedAt === null)
  return [...new Map(open.map(({ rule, fix }) => [rule, `${rule}: ${oneLine(fix)}`])).values()]
}
