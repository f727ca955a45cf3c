import type { Database, Tx } from '@feed-receiver/database'
import type { Inbox } from '@feed-receiver/inbox'
import {
  extendInbox,
  withContext,
  type InboxContext,
  type InboxStore,
} from '@feed-receiver/inbox/extend'
import { openStore } from '@feed-receiver/inbox/internal'
import { checkOption } from '../errors.ts'
import { auditMonth, type AuditOptions, type AuditReport } from './audit-month.ts'
import { createSealing, sealWaitMs, type SealDays } from './seal-days.ts'
import { auditTables, auditTablesOf } from './tables.ts'
import { countsSql } from './counts.ts'

/** Reports of one inbox, from the days that its workers have sealed. */
export interface Audit {
  /**
   * Reports on the events of a month, with the hash chain over its days. Errors: `bad_option`,
   * `not_sealed`, and `not_running` of the inbox.
   */
  report(options?: AuditOptions): Promise<AuditReport>
}

/**
 * Lets an inbox seal each day that has ended, and note in sealed days what retention deletes. Call
 * it before `inbox.start()`, which migrates its tables, in every process that works, drains or
 * prunes. Without it, `prune` then deletes no entries (`extension_missing`). Throws `InboxError`
 * `bad_option` if it is given anything but an inbox of `createInbox`.
 */
export function createAudit<AppTx>(inbox: Inbox<AppTx>): Audit {
  // Each remembers what it waits for, until the next start.
  const sealings = new WeakMap<InboxContext, SealDays>()
  extendInbox(inbox, {
    ...auditTables,
    async maintain(context, { signal, isPruning }) {
      const sealDays = sealings.get(context) ?? createSealing(context)
      sealings.set(context, sealDays)
      await sealDays({ waitMs: isPruning ? sealWaitMs : 0, signal })
    },
    mayDelete: findSealed,
    beforeDelete: noteDeletion,
  })
  return {
    report: (options) => withContext(inbox, (context) => auditMonth([context], options)),
  }
}

export interface AuditInboxOptions extends AuditOptions {
  /** The open databases of the shards in their order, or the one of an inbox. */
  databases: readonly Database[]
  /** The name of the feed, as in `createInbox`. */
  source: string
  /** The schema of the tables, as in `createInbox`. */
  schema: string
}

/**
 * Like `createAudit(inbox).report`, without starting an inbox, and over all shards. With a role that
 * has only `select` on the tables, it seals no days and computes their heads. Once it may seal, call
 * `createAudit` in every process that prunes. Errors: `bad_option`, `not_sealed`, and `not_migrated`
 * of the inbox.
 */
export async function auditInbox({
  databases,
  source,
  schema,
  ...options
}: AuditInboxOptions): Promise<AuditReport> {
  checkOption(databases.length > 0, 'databases: give at least one.')
  const opened = databases.map((database) => openStore({ database, source, schema }, auditTables))
  return await auditMonth(await Promise.all(opened), options)
}

/** The entries of sealed days. The others must stay until their day is sealed. */
async function findSealed(context: InboxStore, tx: Tx, ids: readonly number[]): Promise<number[]> {
  const { sealedDay } = auditTablesOf(context)
  const { rows } = await tx.query<{ id: number }>(
    `select id from ${context.tables.entry} entry
     where id = any($1::bigint[]) and (${dayOfSql(sealedDay)}) is not null`,
    [ids],
  )
  return rows.map(({ id }) => id)
}

/**
 * Notes that entries are deleted in the sealed days that they belong to. Locks the days in their
 * order, so that two calls do not deadlock.
 */
async function noteDeletion(context: InboxStore, tx: Tx, ids: readonly number[]): Promise<void> {
  const { source } = context
  const { entry } = context.tables
  const { sealedDay } = auditTablesOf(context)
  const noted = ['accepted', 'testDeliveries', 'done', 'pushed', 'pulled', 'deliveries'] as const
  const removed = countsSql(noted)
  await tx.query(
    `with old as materialized (
      select id, type, state, push_count, pulled_at, (${dayOfSql(sealedDay)}) as day
      from ${entry} entry where id = any($2::bigint[])
    ),
    locked as materialized (
      select day as locked_day from ${sealedDay}
      where source = $1 and day in (select day from old) order by day for update
    )
    update ${sealedDay} sealed set
      removed_count = removed_count + gone.accepted,
      removed_tests = removed_tests + gone."testDeliveries",
      removed_done = removed_done + gone.done,
      removed_pushed = removed_pushed + gone.pushed,
      removed_pulled = removed_pulled + gone.pulled,
      removed_deliveries = removed_deliveries + gone.deliveries,
      removed_at = now()
    from (select day, ${removed} from old join locked on locked_day = day group by day) gone
    where sealed.source = $1 and sealed.day = gone.day`,
    [source, ids],
  )
}

/** The sealed day that has counted an entry: see `DayRange`. */
function dayOfSql(sealedDay: string): string {
  return `select sealed.day from ${sealedDay} sealed
    where sealed.source = entry.source and sealed.upto_id >= entry.id
      and sealed.day >= (entry.received_at at time zone 'UTC')::date
    order by sealed.day limit 1`
}
