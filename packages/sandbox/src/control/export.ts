import { listAccounts, type Account } from '../state/accounts.ts'
import type { ClockReading } from '../state/clock.ts'
import type { Context } from '../server/context.ts'
import type { FeedChange } from '../state/published-event.ts'

/**
 * What the feed of a sandbox is made of, to look at or to keep: no key, secret or hash is in it, and
 * nothing of destinations, deliveries, fault rules and requests.
 */
export interface SandboxExport {
  clock: ClockReading
  accounts: Account[]
  /** In the order of the feed, as they are now; the newest 10,000. */
  events: unknown[]
  /** What happened to which event, in order; the newest 10,000. */
  changes: { position: number; eventId: string; change: FeedChange; at: Date }[]
  accountEvents: { accountId: string; event: unknown }[]
}

const most = 10_000

export async function exportSandbox({ database, clock }: Context): Promise<SandboxExport> {
  const events = await database.query<{ event: unknown }>(
    `select body::json as event from (
       select position, body from sandbox.event order by position desc limit ${most}
     ) newest order by position`,
  )
  const changes = await database.query<SandboxExport['changes'][number]>(
    `select * from (
       select position, event_id as "eventId", change, at from sandbox.feed_log
       order by position desc limit ${most}
     ) newest order by position`,
  )
  const accountEvents = await database.query<SandboxExport['accountEvents'][number]>(
    `select "accountId", event from (
       select position, account_id as "accountId", body::json as event from sandbox.account_event
       order by position desc limit ${most}
     ) newest order by position`,
  )
  return {
    clock: await clock.read(),
    accounts: await listAccounts(database),
    events: events.rows.map(({ event }) => event),
    changes: changes.rows,
    accountEvents: accountEvents.rows,
  }
}
