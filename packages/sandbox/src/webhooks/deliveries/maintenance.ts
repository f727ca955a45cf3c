import { setTimeout as delay } from 'node:timers/promises'
import type { Database, Queryable } from '@feed-receiver/database'
import { maxAttempts } from '@feed-receiver/sender/internal'
import { applyRotations } from '../secrets/signing-secrets.ts'
import type { Context } from '../../server/context.ts'
import type { AttemptOutcome } from '../../state/delivery.ts'
import { finishAttempts } from './finish-attempts.ts'

/**
 * Every second until the signal aborts, activates new secrets, takes back interrupted attempts and
 * deletes old rows.
 */
export async function runMaintenance(
  { database, onError }: Pick<Context, 'database' | 'onError'>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    for (const maintain of [applyRotations, sweepDeliveries, pruneDeliveries]) {
      await maintain(database).catch(onError)
    }
    await delay(1_000, undefined, { signal }).catch(() => undefined)
  }
}

/**
 * Deletes all but the newest ended deliveries, and all but the newest entries in the log of
 * destinations. Pending deliveries stay, however old they are.
 */
export async function pruneDeliveries(db: Queryable, { newest = 10_000 } = {}): Promise<void> {
  await db.query(
    `delete from sandbox.delivery where id in (
       select id from sandbox.delivery
       where id <= (select max(id) from sandbox.delivery) - $1::bigint and ended_at is not null
       for update skip locked
     )`,
    [newest],
  )
  await db.query(
    `delete from sandbox.destination_log
     where id <= (select max(id) from sandbox.destination_log) - $1::bigint`,
    [newest],
  )
}

/**
 * Takes back unfinished attempts: an expired lease means that the attempt was interrupted, most
 * likely by a crash. Each counts as made, and its delivery is due now or has exhausted its retries.
 *
 * @param all Whether to also take back attempts with a current lease, if no other process can hold
 * one.
 */
export async function sweepDeliveries(database: Database, { all = false } = {}): Promise<void> {
  await database.tx(async (tx) => {
    const { rows } = await tx.query<Partial<AttemptOutcome>>(lostSql, [all, maxAttempts])
    if (rows.length > 0) await finishAttempts(tx, rows)
  })
  // An attempt may end while its destination is being deleted, or a delivery may be held while it is
  // being activated, without seeing that yet.
  await database.query(
    `update sandbox.delivery d set state = 'cancelled', reason = 'destination_deleted',
       next_attempt_at = null, ended_at = sandbox.clock_time()
     from sandbox.destination t
     where t.state = 'deleted' and d.destination_id = t.id and d.state in ('scheduled', 'held')`,
  )
  await database.query(
    `update sandbox.delivery d set state = 'scheduled', next_attempt_at = sandbox.clock_time()
     from sandbox.destination t
     where t.state = 'active' and d.destination_id = t.id and d.state = 'held'`,
  )
}

const lostSql = `
select id as "deliveryId", attempts as attempt, 'interrupted' as result, 'interrupted' as cause,
  case when kind <> 'test' and attempts < $2 then 0 end as "nextDelayMs"
from sandbox.delivery
where state = 'in_flight' and ($1 or lease_until < clock_timestamp())
for update skip locked`
