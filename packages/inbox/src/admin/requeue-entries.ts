import { findConditions, type Conditions, type EntryFilter } from '../entry/entry-filter.ts'
import { isBehindSql } from '../entry/sql.ts'
import type { Tables } from '../entry/tables.ts'
import { checkOption } from '../errors.ts'
import { insertJobsSql, queuedColumnsSql } from '../queue/insert-jobs.ts'
import { wakeSql } from '../queue/notify.ts'
import type { InboxContext } from '../context.ts'
import { operationSql, operationValues, type OperatorOptions } from './operations.ts'
import type { PruneOptions } from './prune.ts'

/** The entries to handle again: by the ids of their events, or all that match a filter. */
export type RequeueTarget = { ids: readonly string[] } | { filter: EntryFilter }

export interface RequeueOptions extends OperatorOptions, Pick<PruneOptions, 'signal'> {
  /**
   * Only counts the entries: up to 1,000,000 to retry, and up to 100,000 to reprocess.
   * @default false
   */
  dryRun?: boolean
  /** Called after each transaction with the number of entries requeued so far. */
  onProgress?: ((count: number) => void) | undefined
}

/** An operation that requeues entries, and how it is recorded. */
interface Requeueing extends Omit<RequeueOptions, 'dryRun'> {
  kind: 'retry' | 'reprocess'
  detail?: string
}

/** The limit of a dry run's count. */
export const maxCounted = 100_000

/** The number of entries per transaction. */
const batchSize = 1_000

/** A type that reaches no handler: the service's test deliveries only show that they arrive. */
const testType = 'destination_test'

/** Rejects what is no target, from callers without TypeScript. Errors: `bad_option`. */
export function checkTarget(target: RequeueTarget): void {
  const given: { ids?: unknown } = Object(target)
  const isFine = 'ids' in given ? Array.isArray(given.ids) : hasFilter(target)
  checkOption(isFine, 'target: use { ids: [...] } or { filter: {...} }.')
}

export function hasFilter(target: unknown): boolean {
  const { filter }: { filter?: unknown } = Object(target)
  return typeof filter === 'object' && filter !== null
}

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
  target: RequeueTarget,
): Promise<Conditions> {
  const hasHandler = `type <> '${testType}'`
  if ('filter' in target) {
    const onlyEnded = target.filter.state !== 'failing'
    return withCondition(await findConditions(context, target.filter, { onlyEnded }), hasHandler)
  }
  const part = `source = $1 and event_id = any($2::text[]) and ${hasHandler}`
  return { parts: [part], values: [context.source, target.ids] }
}

export function withCondition(conditions: Conditions, condition: string): Conditions {
  return { ...conditions, parts: conditions.parts.map((part) => `${part} and ${condition}`) }
}

/**
 * Requeues entries that have content, each in one transaction with a new job, and returns their
 * number. `sets` are other columns to set, as SQL. If it `forgetsEffects`, the stored results of
 * their effects are deleted, so that the effects run again.
 *
 *     locked    those that still meet the conditions: another call may have been first
 *     stored    update entry …                   back to received
 *     queued    insert into job … from stored    their jobs
 *     forgotten delete from effect …             the results of their effects, if these run again
 *
 * Locks entries in the order of their event ids, like every statement that locks several. Locks
 * their content, too, because retention may delete it meanwhile.
 */
export async function requeueEntries(
  context: InboxContext,
  conditions: Conditions,
  {
    sets = [],
    forgetsEffects = false,
    ...requeueing
  }: Requeueing & { sets?: readonly string[]; forgetsEffects?: boolean },
): Promise<number> {
  const { entry, entryBody, effect } = context.tables
  const forgotten = `, forgotten as (delete from ${effect} using stored where entry_id = stored.id)`
  const change = `locked as (
      select id as locked_id from ${entry} entry join ${entryBody} content on entry_id = id
      where id = any(array(select chosen_id from chosen)) and (${conditions.parts.join(' or ')})
      order by event_id for update of entry for share of content
    ),
    stored as (
      update ${entry} entry set ${["state = 'received'", 'handled_at = null', ...sets].join(', ')}
      from locked where id = locked_id
      returning id, ${queuedColumnsSql}, is_reprocessed
    ),
    queued as (${insertJobsSql(context.queue, { hasReprocessed: true })})
    ${forgetsEffects ? forgotten : ''}`
  return await changeInSlices(context, conditions, change, requeueing)
}

/**
 * Makes the next attempt of failing entries due now, and returns their number. Their attempts
 * continue to count. Locks only jobs, because a run locks its job before its entry. A job that a
 * worker has claimed meanwhile is no longer in the state "retry".
 */
export async function retryNow(
  context: InboxContext,
  failing: Conditions,
  requeueing: Omit<Requeueing, 'kind'>,
): Promise<number> {
  const { job } = context.tables
  const change = `locked as (
      select id as job_id, name as job_name, (data ->> 'entryId')::bigint as id from ${job}
      where state = 'retry' and (data ->> 'entryId')::bigint = any(array(select chosen_id from chosen))
      order by id for update
    ),
    due as (
      update ${job} job set start_after = ${context.queue.schema}.job_now() from locked
      where job.id = job_id and job.name = job_name and job.state = 'retry'
      returning locked.id
    ),
    stored as (select distinct id from due)`
  return await changeInSlices(context, failing, change, { ...requeueing, kind: 'retry' })
}

interface Slice {
  chosen: number
  changed: number
  /** The last of the chosen entries. */
  end: number
}

/**
 * Changes entries slice by slice, each in one statement, and returns how many it changed. It goes
 * once through all entries that meet the conditions, in the order of acceptance:
 *
 *     chosen    the next entries
 *     …         the change, of which `stored` are the changed entries
 *     woken     pg_notify, if anything was changed
 *     operated  insert into operation …          who did it
 */
async function changeInSlices(
  context: InboxContext,
  { parts, values }: Conditions,
  change: string,
  { kind, by, detail, onProgress, signal }: Requeueing,
): Promise<number> {
  const { entry } = context.tables
  const first = values.length + 1
  const text = `with chosen as materialized (
      select id as chosen_id, received_at as chosen_at from ${entry}
      where (${parts.join(' or ')}) and ${isBehindSql(entry, 'received_at', '>', `$${first + 5}`)}
      order by received_at, id limit ${batchSize}
    ),
    ${change},
    woken as (${wakeSql(context.queue)} where exists (select from stored)),
    ${operationSql(context, first, 'exists (select from stored)')}
    select (select count(*) from chosen) as chosen, (select count(*) from stored) as changed,
      (select chosen_id from chosen order by chosen_at desc, chosen_id desc limit 1) as "end"
    where (select count(*) from woken) >= 0`
  const given = [...values, ...operationValues(context, kind, by, { detail })]
  const changeBehind = async (behind: number | null) =>
    (await context.database.query<Slice>(text, [...given, behind])).rows[0]
  let changed = 0
  for (let behind: number | null = null; ;) {
    if (signal?.aborted) return changed
    const slice = await changeBehind(behind)
    if (!slice) return changed
    changed += slice.changed
    if (slice.changed > 0) onProgress?.(changed)
    if (slice.chosen < batchSize) return changed
    behind = slice.end
  }
}
