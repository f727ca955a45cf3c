import { listAccounts, type Account } from '../accounts/accounts.ts'
import { readClock, type ClockReading } from '../clock.ts'
import { read } from '../server/action.ts'
import type { FeedChange } from '../state/service-event.ts'

/**
 * The content of a sandbox's feed, to inspect or to save. It contains no key, secret or hash, and
 * no destinations, deliveries, fault rules or requests.
 */
export interface SandboxExport {
  clock: ClockReading
  accounts: Account[]
  /** The events in the order of the feed, in their current state; the newest 10,000. */
  events: unknown[]
  /** The changes of events, in order; the newest 10,000. */
  changes: { position: number; eventId: string; change: FeedChange; at: Date }[]
  accountEvents: { accountId: string; event: unknown }[]
}

export const exportSandbox = read(
  'Exports the clock, the accounts and the published events.',
  async (context): Promise<SandboxExport> => {
    const { database } = context
    const events = await database.query<{ event: unknown }>(newest('event', 'body::json as event'))
    const changes = await database.query<SandboxExport['changes'][number]>(
      newest('feed_log', 'event_id as "eventId", change, at'),
    )
    const accountEvents = await database.query<{ accountId: string; event: unknown }>(
      newest('account_event', 'account_id as "accountId", body::json as event'),
    )
    return {
      clock: await readClock.run(context, {}),
      accounts: await listAccounts.run(context, {}),
      events: events.rows.map(({ event }) => event),
      changes: changes.rows,
      accountEvents: accountEvents.rows.map(({ accountId, event }) => ({ accountId, event })),
    }
  },
)

function newest(table: string, columns: string): string {
  return `
    select * from (
      select position, ${columns} from sandbox.${table} order by position desc limit 10000
    ) newest order by position`
}
