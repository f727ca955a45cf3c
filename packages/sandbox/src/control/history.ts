import type { Tx } from '@feed-receiver/database'
import { z } from 'zod'
import { firstAccount, listAccounts, type Account } from '../accounts/accounts.ts'
import { insertAccountEvents } from '../account-events/compose-account-event.ts'
import { moveClock, clockTime, readClock, type ClockReading } from '../clock.ts'
import { insertEvents, lockFeed } from '../events/publish-event.ts'
import { drawAccountHistory } from '../seed/draw-account-event.ts'
import { drawHistory } from '../seed/draw-history.ts'
import { seededRandom } from '../seed/random.ts'
import { action, read } from '../server/action.ts'
import type { Context } from '../server/context.ts'
import type { FeedChange } from '../state/service-event.ts'

/** Fills an empty sandbox with history, once. A second caller finds it done. */
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

// Positions continue, so that an old cursor leads to the new events.
export const resetSandbox = action(
  'Deletes events, deliveries and journals, generates the history again and resets the allowances; accounts, keys, destinations, fault rules and the clock stay.',
  z.strictObject({}),
  async (context): Promise<void> => {
    await context.journal.flush()
    const end = await endOf(context)
    await context.database.tx(async (tx) => {
      // The feed first, like every publication, then the deliveries, like every attempt. One lock
      // order avoids deadlocks.
      await lockFeed(tx)
      await tx.query('lock table sandbox.delivery in access exclusive mode')
      // One statement, because tables that refer to each other can only be truncated together.
      await tx.query(`truncate ${truncatedTables.map((name) => `sandbox.${name}`).join(', ')}`)
      await tx.query(`update sandbox.allowance set period_start = 'epoch', window_start = 'epoch'`)
      await insertHistory(tx, context, end)
    })
  },
)

export const truncatedTables = [
  'event',
  'feed_log',
  'account_event',
  'request_log',
  'delivery',
  'delivery_attempt',
  'destination_log',
]

/**
 * Resets the clock to real time and deletes fault rules that an earlier run, which was not strict,
 * may have left.
 */
export async function applyStrict(context: Context): Promise<void> {
  const { database } = context
  await moveClock.run(context, { to: 'reset' })
  await database.query('delete from sandbox.api_fault')
  await database.query('delete from sandbox.delivery_fault')
}

async function insertHistory(tx: Tx, context: Context, end: Date): Promise<void> {
  const { seed, referenceKey: key, historyDays: days, behaviour } = context
  if (days === 0) return
  // History is not news, so none of it is delivered.
  const events = drawHistory(seededRandom(`${seed} history`), { end, days })
  await insertEvents(tx, events, behaviour.moveChanged)
  const { id: accountId } = firstAccount
  const accountEvents = drawAccountHistory(seed, { key, accountId, end, days })
  await insertAccountEvents(tx, accountId, accountEvents)
}

/** The full hour at which history ends. */
async function endOf({ historyEndsAt, database }: Context): Promise<Date> {
  const end = historyEndsAt ?? (await clockTime(database))
  return new Date(Math.floor(end.getTime() / 3_600_000) * 3_600_000)
}

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
