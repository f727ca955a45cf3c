import type { Context, History } from '../server/context.ts'
import { lockFeed } from '../events/publish-event.ts'
import { seedIn } from './seed-sandbox.ts'

/**
 * Empties the feed, the private events and the journals of requests and deliveries, fills them with
 * history as a new sandbox, and begins new allowances. Accounts, API keys, destinations, fault rules
 * and the clock stay. Positions go on from where they were, so that a cursor from before leads to what
 * came after.
 */
export async function resetSandbox(context: Context, history: History): Promise<void> {
  const end = history.endsAt ?? (await context.clock.now())
  await context.database.tx(async (tx) => {
    // First, as every publication does, and then the deliveries, as every attempt does: whoever locks
    // in one order does not wait for each other.
    await lockFeed(tx)
    await tx.query('lock table sandbox.delivery in access exclusive mode')
    // One statement, since tables that refer to each other can only be emptied together.
    await tx.query(`truncate ${emptied.map((name) => `sandbox.${name}`).join(', ')}`)
    await tx.query(`update sandbox.allowance set period_start = 'epoch', window_start = 'epoch'`)
    await seedIn(tx, context, { ...history, endsAt: end })
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
