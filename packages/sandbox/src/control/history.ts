import type { Tx } from '@feed-receiver/database'
import { z } from 'zod'
import { firstAccount } from '../accounts/accounts.ts'
import { insertAccountEvents } from '../account-events/compose-account-event.ts'
import { moveClock, clockTime } from '../clock.ts'
import { insertEvents, lockFeed } from '../events/publish-event.ts'
import { drawAccountHistory } from '../seed/draw-account-event.ts'
import { drawHistory } from '../seed/draw-history.ts'
import { seededRandom } from '../seed/random.ts'
import { action } from '../server/action.ts'
import type { Context } from '../server/context.ts'

/** Fills an empty sandbox with history, once. A second caller finds it done. */
export async function seedSandbox(context: Context): Promise<void> {
  const end = await endOf(context)
  await context.database.tx(async (tx) => {
    const { rowCount } = await tx.query(
      `insert into sandbox.setting (name, value) values ('seeded', $1) on conflict do nothing`,
      [Buffer.from(end.toISOString())],
    )
    if (rowCount === 1) await insertHistory(tx, context, end, context.seed)
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
      await insertHistory(tx, context, end, await seedOfReset(tx, context, end))
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

/**
 * The seed of a history that ends at another time than the first one: with the same ids, an app that
 * has stored the first one would take the other times for corrections.
 */
async function seedOfReset(tx: Tx, { seed }: Context, end: Date): Promise<string> {
  const { rows } = await tx.query<{ value: Buffer }>(
    `select value from sandbox.setting where name = 'seeded'`,
  )
  const text = end.toISOString()
  return rows[0]?.value.toString() === text ? seed : `${seed} ${text}`
}

async function insertHistory(tx: Tx, context: Context, end: Date, seed: string): Promise<void> {
  const { referenceKey: key, historyDays: days, behaviour } = context
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
