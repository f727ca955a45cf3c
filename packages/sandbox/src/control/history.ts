import type { Tx } from '@feed-receiver/database'
import { insertAccountEvents } from '../account-events/compose-account-event.ts'
import { lockFeed, publishEvents } from '../events/publish-event.ts'
import { drawAccountHistory } from '../seed/draw-account-event.ts'
import { drawHistory } from '../seed/draw-history.ts'
import { seededRandom } from '../seed/random.ts'
import type { Context } from '../server/context.ts'
import { firstAccount, listAccounts, type Account } from '../state/accounts.ts'
import type { ClockReading } from '../state/clock.ts'
import type { FeedChange } from '../state/service-event.ts'

/** Fills an empty sandbox with history, once; whoever comes second finds it done. */
export async function seedSandbox(context: Context): Promise<void> {
  const end = await endOf(context)
  await context.database.tx(async (tx) => {
    const { rowCount } = await tx.query(
      `insert into sandbox.setting (name, value) values ('seeded', $1) on conflict do nothing`,
      [Buffer.from(context.seed)],
    )
    if (rowCount === 1) await insertHistory(tx, context, end)
  })
}

/**
 * Empties the feed, the private events and the journals of requests and deliveries, fills them with
 * history as a new sandbox, and begins new allowances. Accounts, API keys, destinations, fault rules
 * and the clock stay. Positions go on from where they were, so that a cursor from before leads to what
 * came after.
 */
export async function resetSandbox(context: Context): Promise<void> {
  const end = await endOf(context)
  await context.database.tx(async (tx) => {
    // First, as every publication does, and then the deliveries, as every attempt does: whoever locks
    // in one order does not wait for each other.
    await lockFeed(tx)
    await tx.query('lock table sandbox.delivery in access exclusive mode')
    // One statement, since tables that refer to each other can only be emptied together.
    await tx.query(`truncate ${emptied.map((name) => `sandbox.${name}`).join(', ')}`)
    await tx.query(`update sandbox.allowance set period_start = 'epoch', window_start = 'epoch'`)
    await insertHistory(tx, context, end)
  })
}

export const emptied = [
  'event',
  'feed_log',
  'account_event',
  'request_log',
  'delivery',
  'delivery_attempt',
  'destination_log',
]

/** Real time again, and no fault rules: what a run that was not strict may have left. */
export async function endLiberties({ database, clock }: Context): Promise<void> {
  await clock.move({ to: 'reset' })
  await database.query('delete from sandbox.api_fault')
  await database.query('delete from sandbox.delivery_fault')
}

async function insertHistory(tx: Tx, context: Context, end: Date): Promise<void> {
  const { seed, referenceKey: key, historyDays: days } = context
  if (days === 0) return
  // History is no news: nothing of it is delivered.
  const events = drawHistory(seededRandom(`${seed} history`), { end, days })
  await publishEvents(tx, { ...context, onPublish: [] }, events)
  const { id: accountId } = firstAccount
  const accountEvents = drawAccountHistory(seed, { key, accountId, end, days })
  await insertAccountEvents(tx, accountId, accountEvents)
}

/** The full hour at which history ends. */
async function endOf({ historyEndsAt, clock }: Context): Promise<Date> {
  const end = historyEndsAt ?? (await clock.now())
  return new Date(Math.floor(end.getTime() / 3_600_000) * 3_600_000)
}

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
