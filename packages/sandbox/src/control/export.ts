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
    const newest = async <Row>(table: string, columns: string) => {
      const text = `select ${columns} from (
        select * from sandbox.${table} order by position desc limit 10000
      ) newest order by position`
      return (await database.query<Row>(text)).rows
    }
    const events = await newest<{ event: unknown }>('event', 'body::json as event')
    return {
      clock: await readClock.run(context, {}),
      accounts: await listAccounts.run(context, {}),
      events: events.map(({ event }) => event),
      changes: await newest('feed_log', 'position, event_id as "eventId", change, at'),
      accountEvents: await newest(
        'account_event',
        'account_id as "accountId", body::json as event',
      ),
    }
  },
)
