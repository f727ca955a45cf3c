import type { Tx } from '@feed-receiver/database'
import type { InboxContext } from '../context.ts'
import type { InboxExtension } from '../extension.ts'
import { createSealing } from './seal-days.ts'

/** How long to wait for transactions that keep days from being sealed. */
const waitMs = 5_000

/** Seals each day that has ended, and notes in sealed days what retention deletes. */
export function createSealingExtension(): InboxExtension {
  // It remembers what it waits for, until the next call or the next start.
  let sealDays: ReturnType<typeof createSealing> | undefined
  let sealed: InboxContext | undefined

  return {
    name: 'audit',
    async maintain(context, signal) {
      if (sealed !== context || !sealDays) sealDays = createSealing(context)
      sealed = context
      await sealDays({ waitMs, signal })
    },
    beforeDelete: noteDeletion,
  }
}

/**
 * Notes that entries are deleted in the sealed days that they belong to. Returns the entries of
 * sealed days, because the others must stay. Locks the days in their order, so that two calls do
 * not deadlock.
 */
async function noteDeletion(
  { tables: { entry, sealedDay }, source }: InboxContext,
  tx: Tx,
  ids: readonly number[],
): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>(
    `with old as materialized (
      select id, type, state, push_count, pulled_at, (${dayOfSql(sealedDay)}) as day
      from ${entry} entry where id = any($2::bigint[])
    ),
    locked as materialized (
      select day as locked_day from ${sealedDay}
      where source = $1 and day in (select day from old) order by day for update
    ),
    noted as (
      update ${sealedDay} sealed set
        removed_count = sealed.removed_count + gone.count,
        removed_tests = sealed.removed_tests + gone.tests,
        removed_done = sealed.removed_done + gone.done,
        removed_pushed = sealed.removed_pushed + gone.pushed,
        removed_pulled = sealed.removed_pulled + gone.pulled,
        removed_deliveries = sealed.removed_deliveries + gone.deliveries,
        removed_at = now()
      from (select day, ${removedSql} from old join locked on locked_day = day group by day) gone
      where sealed.source = $1 and sealed.day = gone.day
    )
    select id from old where day is not null`,
    [source, ids],
  )
  return rows.map(({ id }) => id)
}

/** The sealed day that has counted an entry: see `DayRange`. */
function dayOfSql(sealedDay: string): string {
  return `select sealed.day from ${sealedDay} sealed
    where sealed.source = entry.source and sealed.upto_id >= entry.id
      and sealed.day >= (entry.received_at at time zone 'UTC')::date
    order by sealed.day limit 1`
}

const isEvent = "type <> 'destination_test'"
const removedSql = `count(*) as count,
  count(*) filter (where not (${isEvent})) as tests,
  count(*) filter (where ${isEvent} and state = 'done') as done,
  count(*) filter (where ${isEvent} and push_count > 0) as pushed,
  count(*) filter (where ${isEvent} and pulled_at is not null) as pulled,
  coalesce(sum(push_count) filter (where ${isEvent}), 0) as deliveries`
