import { firstAccount } from '../accounts/accounts.ts'
import { insertAccountEvents } from '../account-events/publish-account-event.ts'
import type { Context } from '../context.ts'
import { publishEventsIn } from '../events/publish-event.ts'
import { drawAccountHistory } from './draw-account-event.ts'
import { drawHistory } from './draw-history.ts'
import { seededRandom } from './random.ts'

export interface History {
  /** How many days it covers; 0 for none. */
  days: number
  /** @default the last full hour of the sandbox's clock */
  endsAt?: Date | undefined
}

/** Fills an empty sandbox with history, once; whoever comes second finds it done. */
export async function seedSandbox(context: Context, { days, endsAt }: History): Promise<void> {
  const { database, clock, seed, referenceKey } = context
  const end = endsAt ?? lastHour(await clock.now())
  await database.tx(async (tx) => {
    const { rowCount } = await tx.query(
      `insert into sandbox.setting (name, value) values ('seeded', $1) on conflict do nothing`,
      [Buffer.from(seed)],
    )
    if (rowCount === 0 || days === 0) return
    const history = drawHistory(seededRandom(`${seed} history`), { end, days })
    await publishEventsIn(tx, { ...context, onPublish: [] }, history)
    const accountId = firstAccount.id
    const events = drawAccountHistory(seed, { key: referenceKey, accountId, end, days })
    await insertAccountEvents(tx, accountId, events)
  })
}

function lastHour(now: Date): Date {
  return new Date(Math.floor(now.getTime() / 3_600_000) * 3_600_000)
}
