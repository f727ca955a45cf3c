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
export interface AlertReader {
  /** For `withInbox` and `withShards`. */
  extension: CommandExtension
  /** Undefined for an inbox without tables of alerts. */
  of(inbox: Inbox): Pick<Alerts, 'list'> | undefined
}

export function createAlertReader(): AlertReader {
  const found = new Map<Inbox, Alerts>()
  const add = (inbox: Inbox) => found.set(inbox, createAlerts({ inbox, notify: () => undefined }))
  return { extension: { ...alertTables, add }, of: (inbox) => found.get(inbox) }
}

/**
 * The open alerts of all shards that have tables for them. At least one shard must answer. If there
 * are several, the message of an alert names its shard, as those of problems do.
 */
export async function listOpenAlerts(
  shards: readonly Inbox[],
  alerts: Pick<AlertReader, 'of'>,
): Promise<AlertRow[]> {
  const open = shards.flatMap((shard, index) => {
    const name = shards.length === 1 ? '' : `Shard ${index + 1} of ${shards.length}: `
    const own = alerts.of(shard)
    return own ? [listNamed(own, name)] : []
  })
  return (await ofAnswering(open)).flat()
}

async function listNamed(alerts: Pick<Alerts, 'list'>, name: string): Promise<AlertRow[]> {
  const rows = await alerts.list({ state: 'open' })
  return rows.map((row) => ({ ...row, message: name + row.message }))
}

/** The answers of the shards that answer, of which there must be one. */
export async function ofAnswering<Answer>(asked: readonly Promise<Answer>[]): Promise<Answer[]> {
  const answers = await Promise.allSettled(asked)
  const [error] = answers.filter((answer) => answer.status === 'rejected')
  const given = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  if (error && given.length === 0) throw error.reason
  return given
}

/** A problem that a command shows, with the message of one that the health lists. */
export interface ShownProblem {
  code: string
  message?: string
}

/**
 * Puts open alerts beside these problems. `others` are the alerts of none of them, for example
 * because their problem is over.
 */
export function matchAlerts(problems: readonly ShownProblem[], alerts: readonly AlertRow[]) {
  const codes = problems.map(({ code }) => code)
  const isOf = ({ code, message = '' }: ShownProblem, alert: AlertRow) =>
    findNotified(codes, alert) === code &&
    // A problem that names no shard is one of all.
    [undefined, shardIn(alert.message)].includes(shardIn(message))
  return {
    others: alerts.filter((alert) => !problems.some((problem) => isOf(problem, alert))),
    /** A sentence with the time since when somebody is notified of a problem; '' if nobody is. */
    since(problem: ShownProblem, isAbout: (alert: AlertRow) => boolean = () => true): string {
      const own = alerts.filter((alert) => isOf(problem, alert) && isAbout(alert))
      const [first] = own.map(({ openedAt }) => openedAt).toSorted()
      return first === undefined ? '' : ` Alert open since ${first}.`
    },
  }
}

function shardIn(message: string): string | undefined {
  return /^Shard \d+ of \d+: /.exec(message)?.[0]
}

/** The fixes of open alerts, one line per rule. */
export function fixesOf(alerts: readonly AlertRow[]): string[] {
  const open = alerts.filter(({ closedAt }) => closedAt === null)
  return [...new Map(open.map(({ rule, fix }) => [rule, `${rule}: ${oneLine(fix)}`])).values()]
}
