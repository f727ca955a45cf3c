import { setTimeout as delay } from 'node:timers/promises'
import type { Database, Queryable } from '@feed-receiver/database'
import { maxAttempts } from '@feed-receiver/sender'
import { settleSecrets } from '../secrets/signing-secrets.ts'
import type { Context } from '../../server/context.ts'
import { finishAttempts, type AttemptOutcome } from './finish-attempts.ts'

/**
 * Takes back what was interrupted and has secrets take over, every second until the signal; and
 * forgets what is old, every minute.
 */
export async function keepHouse(
  { database, onError }: Pick<Context, 'database' | 'onError'>,
  signal: AbortSignal,
): Promise<void> {
  let prunedAt = -Infinity
  while (!signal.aborted) {
    await settleSecrets(database).catch(onError)
    await sweepDeliveries(database).catch(onError)
    if (performance.now() - prunedAt >= 60_000) {
      prunedAt = performance.now()
      await pruneDeliveries(database).catch(onError)
    }
    await delay(1_000, undefined, { signal }).catch(() => undefined)
  }
}

/**
 * Forgets deliveries that ended, and entries of the log of destinations, that are not among the newest.
 * What is under way stays, however old it is.
 */
export async function pruneDeliveries(db: Queryable, { kept = 10_000 } = {}): Promise<void> {
  await db.query(pruneSql, [kept])
  await db.query(pruneLogSql, [kept])
}

const pruneSql = `
delete from sandbox.delivery where id in (
  select id from sandbox.delivery
  where id <= (select max(id) from sandbox.delivery) - $1::bigint and ended_at is not null
  for update skip locked
)`

const pruneLogSql = `
delete from sandbox.destination_log
where id <= (select max(id) from sandbox.destination_log) - $1::bigint`

/**
 * Takes back what nobody finished: attempts whose lease has run out were interrupted, by a crash most
 * likely. Each counts as made, and its delivery is due at once or was at its last.
 *
 * @param all Whether the leases that still run are taken back too: nobody else can hold one.
 */
export async function sweepDeliveries(database: Database, { all = false } = {}): Promise<void> {
  await database.tx(async (tx) => {
    const { rows } = await tx.query<AttemptOutcome>(lostSql, [all, maxAttempts])
    if (rows.length > 0) await finishAttempts(tx, rows)
  })
  await database.query(cancelSql)
  await database.query(releaseSql)
}

const lostSql = `
select id as "deliveryId", attempts as attempt, 'interrupted' as result, 'interrupted' as cause,
  case when kind <> 'test' and attempts < $2 then 0 end as "nextDelayMs"
from sandbox.delivery
where state = 'in_flight' and ($1 or lease_until < clock_timestamp())
for update skip locked`

// An attempt may end in the moment in which its destination is deleted, and not see it yet.
const cancelSql = `
update sandbox.delivery d set state = 'cancelled', reason = 'destination_deleted',
  next_attempt_at = null, ended_at = sandbox.clock_time()
from sandbox.destination t
where t.state = 'deleted' and d.destination_id = t.id and d.state in ('scheduled', 'held')`

// A delivery may be held in the moment in which its destination is activated, and not see it yet.
const releaseSql = `
update sandbox.delivery d set state = 'scheduled', next_attempt_at = sandbox.clock_time()
from sandbox.destination t
where t.state = 'active' and d.destination_id = t.id and d.state = 'held'`
