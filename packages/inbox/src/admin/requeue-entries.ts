import type { Conditions } from '../entry/entry-filter.ts'
import { endedConditions, entryConditions, type EntryFilter } from '../entry/entry-filter.ts'
import { findSearched } from './find-searched.ts'
import { isBehindSql, orderKeySql } from '../entry/sql.ts'
import type { Tables } from '../entry/tables.ts'
import { checkOption } from '../errors.ts'
import { insertJobsSql, wakeSql } from '../queue/job.ts'
import type { InboxContext } from '../context.ts'
import { operationSql, operationValues, type OperatorOptions } from './operations.ts'
import type { PruneOptions } from './prune.ts'

/** The entries to handle again: by the ids of their events, or all that match a filter. */
export type ReopenTarget = { ids: readonly string[] } | { filter: EntryFilter }

export interface RequeueOptions extends OperatorOptions, Pick<PruneOptions, 'signal'> {
  /**
   * Only counts the entries, up to 100,000.
   * @default false
   */
  dryRun?: boolean
  /** Called after each transaction with the number of entries requeued so far. */
  onProgress?: ((count: number) => void) | undefined
}

/** How entries are requeued. */
export interface Reopening extends Pick<RequeueOptions, 'onProgress' | 'signal'> {
  kind: 'retry' | 'reprocess'
  by: string | undefined
  detail?: string
  /** Other columns to set, as SQL. */
  sets?: readonly string[]
  /** Whether the stored results of their effects are deleted, so that the effects run again. */
  forgetsEffects?: boolean
}

/** The limit of a dry run's count. */
export const maxCounted = 100_000

/** The number of entries per transaction. */
export const batchSize = 1_000

/** A type that reaches no handler: the service's test deliveries only show that they arrive. */
const testType = 'destination_test'

/** Whether an entry has a type that reaches handlers. */
const hasHandlerSql = `type <> '${testType}'`

/** Checks that a filter does not ask for a type that reaches no handler. */
export function checkHandled({ type }: EntryFilter, verb: 'retried' | 'reprocessed'): void {
  checkOption(
    type !== testType,
    `type: a ${testType} event reaches no handler, so it cannot be ${verb}. Leave the type out, or use another one.`,
  )
}

/**
 * Whether an entry still has content, which retention may have deleted. No "exists", because
 * PostgreSQL may answer that by reading all bodies.
 */
export function hasContent({ entryBody }: Tables): string {
  return `(select entry_id from ${entryBody} where entry_id = id) is not null`
}

/** Writes a target as one condition, without test deliveries, and the values of its parameters. */
export async function targetConditions(
  context: InboxContext,
  target: ReopenTarget,
): Promise<Conditions> {
  if ('filter' in target) {
    const found = await findSearched(context, target.filter)
    const write = target.filter.state === 'failing' ? entryConditions : endedConditions
    return withCondition(write(context, found), hasHandlerSql)
  }
  const part = `source = $1 and event_id = any($2::text[]) and ${hasHandlerSql}`
  return { parts: [part], values: [context.source, target.ids] }
}

/** Adds a condition to each part of some conditions. */
export function withCondition(conditions: Conditions, condition: string): Conditions {
  return { ...conditions, parts: conditions.parts.map((part) => `${part} and ${condition}`) }
}

/**
 * Requeues entries, each in one transaction with a new job, and returns their number. It goes once
 * through all entries that meet the conditions and have content, in the order of acceptance.
 */
export async function requeueEntries(
  context: InboxContext,
  conditions: Conditions,
  reopening: Reopening,
): Promise<number> {
  const write = (isBehind: boolean) => reopenSql(context, conditions, reopening, isBehind)
  return await changeInSlices(context, conditions, reopening, write)
}

/** Runs the statement of a slice until no entry follows, and returns how many it changed. */
export async function changeInSlices(
  context: InboxContext,
  conditions: Conditions,
  { kind, by, detail, onProgress, signal }: Reopening,
  write: (isBehind: boolean) => string,
): Promise<number> {
  const values = [...conditions.values, ...operationValues(context, kind, by, { detail })]
  let reopened = 0
  for (let behind: number | undefined; ;) {
    if (signal?.aborted) return reopened
    const { rows } = await context.database.query<Slice>(
      write(behind !== undefined),
      behind === undefined ? values : [...values, behind],
    )
    const [slice] = rows
    if (!slice) return reopened
    reopened += slice.reopened
    onProgress?.(reopened)
    if (slice.chosen < batchSize) return reopened
    behind = slice.end
  }
}

interface Slice {
  chosen: number
  reopened: number
  /** The last of the chosen entries. */
  end: number
}

/**
 * One slice, in one round trip:
 *
 *     chosen    the next entries in the order of acceptance
 *     locked    those that still meet the conditions: another call may have been first
 *     stored    update entry …                   back to received
 *     queued    insert into job … from stored    their jobs
 *     forgotten delete from effect …             the results of their effects, if these run again
 *     operated  insert into operation …          who did it
 *
 * Locks entries in the order of their event ids, like every statement that locks several. Locks
 * their content, too, because retention may delete it meanwhile.
 */
function reopenSql(
  context: InboxContext,
  { parts, values }: Conditions,
  { sets = [], forgetsEffects = false }: Reopening,
  isBehind: boolean,
): string {
  const { entry, entryBody, effect } = context.tables
  const condition = parts.join(' or ')
  const first = values.length + 1
  const behind = isBehindSql(entry, 'received_at', '>', `$${first + 5}`)
  const forgotten = `forgotten as (delete from ${effect} using stored where entry_id = stored.id),`
  return `with chosen as materialized (
      select id as chosen_id, received_at as chosen_at from ${entry}
      where (${condition}) and ${hasContent(context.tables)} ${isBehind ? `and ${behind}` : ''}
      order by received_at, id limit ${batchSize}
    ),
    locked as (
      select id as locked_id from ${entry} entry join ${entryBody} content on entry_id = id
      where id = any(array(select chosen_id from chosen)) and (${condition})
      order by event_id for update of entry for share of content
    ),
    stored as (
      update ${entry} entry set ${["state = 'received'", 'handled_at = null', ...sets].join(', ')}
      from locked where id = locked_id
      returning id, type, ${orderKeySql} as "orderKey", received_at, is_reprocessed
    ),
    queued as (${insertJobsSql(context.queue, 'stored.is_reprocessed')}),
    woken as (${wakeSql(context.queue)} where exists (select from queued)),
    ${forgetsEffects ? forgotten : ''}
    ${operationSql(context, first, 'exists (select from stored)')}
    select (select count(*) from chosen) as chosen, (select count(*) from stored) as reopened,
      (select chosen_id from chosen order by chosen_at desc, chosen_id desc limit 1) as "end"
    where (select count(*) from woken) >= 0`
}
