import { firstAccount } from '../state/accounts.ts'
import { insertAccountEvents } from '../account-events/account-event-table.ts'
import type { Tx } from '@feed-receiver/database'
import type { Context, History } from '../server/context.ts'
import { publishEvents } from '../events/publish-event.ts'
import { drawAccountHistory } from '../seed/draw-account-event.ts'
import { drawHistory } from '../seed/draw-history.ts'
import { seededRandom } from '../seed/random.ts'

/** Fills an empty sandbox with history, once; whoever comes second finds it done. */
export async function seedSandbox(context: Context, history: History): Promise<void> {
  const endsAt = history.endsAt ?? (await context.clock.now())
  await context.database.tx(async (tx) => {
    const { rowCount } = await tx.query(
      `insert into sandbox.setting (name, value) values ('seeded', $1) on conflict do nothing`,
      [Buffer.from(context.seed)],
    )
    if (rowCount === 1) await seedIn(tx, context, { ...history, endsAt })
  })
}

export async function seedIn(
  tx: Tx,
  context: Context,
  { days, endsAt }: History & { endsAt: Date },
): Promise<void> {
  if (days === 0) return
  const { seed, referenceKey } = context
  const end = lastHour(endsAt)
  const history = drawHistory(seededRandom(`${seed} history`), { end, days })
  // History is no news: nothing of it is delivered.
  await publishEvents(tx, { ...context, onPublish: [] }, history)
  const accountId = firstAccount.id
  const events = drawAccountHistory(seed, { key: referenceKey, accountId, end, days })
  await insertAccountEvents(tx, accountId, events)
}

function lastHour(now: Date): Date {
  return new Date(Math.floor(now.getTime() / 3_600_000) * 3_600_000)
}
