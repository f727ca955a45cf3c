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

export async function exportSandbox({ database, clock }: Context): Promise<SandboxExport> {
  const events = await database.query<{ event: unknown }>(newest('event', 'body::json as event'))
  const changes = await database.query<SandboxExport['changes'][number]>(
    newest('feed_log', 'event_id as "eventId", change, at'),
  )
  const accountEvents = await database.query<{ accountId: string; event: unknown }>(
    newest('account_event', 'account_id as "accountId", body::json as event'),
  )
  return {
    clock: await clock.read(),
    accounts: await listAccounts(database),
    events: events.rows.map(({ event }) => event),
    changes: changes.rows,
    accountEvents: accountEvents.rows.map(({ accountId, event }) => ({ accountId, event })),
  }
}

function newest(table: string, columns: string): string {
  return `
    select * from (
      select position, ${columns} from sandbox.${table} order by position desc limit 10000
    ) newest order by position`
}
