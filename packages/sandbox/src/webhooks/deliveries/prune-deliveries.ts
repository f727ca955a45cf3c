import type { Queryable } from '@feed-receiver/database'

/** How many deliveries, and entries of the log of destinations, are kept. */
const keptCount = 10_000

/** Forgets what ended and is not among the newest; what is under way stays, however old it is. */
export async function pruneDeliveries(db: Queryable, { kept = keptCount } = {}): Promise<void> {
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
