import type { Tx } from '@feed-receiver/database'
import { untilAvailable } from '@feed-receiver/database/internal'
import type { InboxContext } from '../context.ts'
import type { EntryState } from '../entry/entry-filter.ts'
import type { EntryContent } from '../entry/read-entry.ts'
import { codeOf } from '../errors.ts'
import { wakeSql } from '../queue/notify.ts'
import type { ClaimedJob, Limits, Queue, SqlExecutor } from '../queue/queue.ts'
import type { HandlerContext } from './handlers.ts'
import type { PauseCache, Paused } from './pause-cache.ts'

/** A claimed job, and what its handler needs of the entry. */
export interface ClaimedEntry
  extends
    ClaimedJob,
    EntryContent,
    Pick<HandlerContext, 'revision' | 'via' | 'change' | 'receivedAt' | 'reprocess'> {
  /** Null if the entry does not exist, as are then the other members of an entry. */
  state: EntryState | null
  eventId: string
  /** How often its effects were requested again. */
  effectRound: number
  /** The trace in which it was accepted. */
  traceparent: string | null
  /** In milliseconds of `performance.now()`. */
  claimedAt: number
  /** The time of the claim in the database, which identifies it. */
  startedOn: string
}

/**
 * Creates the function that claims up to a number of due jobs, of no paused type and within the
 * limits of types. If it returns fewer, no other job may run now. If it fails after its claim, it
 * unclaims the jobs, also after an outage; once the signal aborts, it tries that only once more.
 */
export function createClaim(context: InboxContext, pauses: PauseCache, limits: Limits) {
  return claim

  async function claim(wanted: number, signal: AbortSignal): Promise<ClaimedEntry[]> {
    const before = await pauses.recent()
    if (before.isWhole) return []
    const jobs =
      limits.size === 0
        ? await claimDue(context, before.types, wanted)
        : await claimWithin(context, limits, before.types, wanted)
    try {
      return await withoutPaused(jobs, before, wanted, signal)
    } catch (error) {
      // Nobody knows of them, so they would spend an attempt without having run.
      await unclaim(context.queue, jobs, signal).catch(() => undefined)
      throw error
    }
  }

  async function withoutPaused(
    jobs: ClaimedEntry[],
    before: Paused,
    wanted: number,
    signal: AbortSignal,
  ): Promise<ClaimedEntry[]> {
    const paused = await pauses.atAnswer(before)
    const allowed = jobs.filter((job) => !isPaused(job, paused))
    if (allowed.length === jobs.length) return jobs
    // A pause began during their claim.
    const others = jobs.filter((job) => isPaused(job, paused))
    await unclaim(context.queue, others, AbortSignal.abort())
    return [...allowed, ...(await claim(wanted - allowed.length, signal))]
  }
}

function isPaused({ groupId }: ClaimedJob, { isWhole, types }: Paused): boolean {
  return isWhole || types.includes(groupId ?? '')
}

/** On connections that no handler can hold, because handlers may hold all others. */
async function claimDue(
  { queue, tables }: InboxContext,
  pausedTypes: string[],
  wanted: number,
): Promise<ClaimedEntry[]> {
  const executor = withEntries(tables, (text, values) =>
    queue.query(text, values, { isRepeated: true }),
  )
  return await queue.claim<ClaimedEntry>(wanted, { pausedTypes, executor })
}

/** Claims jobs and reads their entries in one statement. The first due ones come first. */
function withEntries(
  { entry, entryBody }: InboxContext['tables'],
  run: (text: string, values?: readonly unknown[]) => Promise<object[]>,
): SqlExecutor {
  return {
    async executeSql(claimSql, values) {
      const text = `with job as (${claimSql})
        select job.id, job.data, job."groupId", job."startedOn"::text as "startedOn", job."retryCount", job."retryLimit",
          job."heartbeatSeconds", entry.state, event_id as "eventId", body, pull, revision, via,
          change, received_at as "receivedAt", is_reprocessed as reprocess,
          effect_round as "effectRound", headers ->> 'traceparent' as traceparent
        from job left join ${entry} entry on entry.id = (job.data ->> 'entryId')::bigint
          left join ${entryBody} on entry_id = entry.id
        order by job.priority desc, job."createdOn"`
      const rows = await run(text, values)
      const claimedAt = performance.now()
      return { rows: rows.map((row) => ({ ...row, claimedAt })) }
    },
  }
}

/** A frozen process must not hold up the claims of all others. */
const frozenAfterMs = 2_000

/**
 * Claims up to a number of jobs within the limits, which apply across all processes. Claims of one
 * queue wait for each other, because concurrent ones would count the same running jobs. Takes one
 * job at a time, because pg-boss would choose among several of a type at random.
 */
async function claimWithin(
  { database, queue, tables }: InboxContext,
  limits: Limits,
  pausedTypes: string[],
  wanted: number,
): Promise<ClaimedEntry[]> {
  return await database.tx(claimInTurn).catch((error: unknown) => {
    // In an ordered queue, a process without limits claimed the same job. The rollback frees all.
    if (hasConflict(error)) return []
    throw error
  })

  async function claimInTurn(tx: Tx): Promise<ClaimedEntry[]> {
    await tx.query(
      `select set_config('idle_in_transaction_session_timeout', '${frozenAfterMs}', true),
         pg_advisory_xact_lock(hashtextextended($1, 0))`,
      [`claims of ${queue.schema}.${queue.name}`],
    )
    const executor = withEntries(tables, async (text, values) => {
      const { rows } = await tx.query(text, values)
      return rows
    })
    const jobs: ClaimedEntry[] = []
    while (jobs.length < wanted) {
      const [job] = await queue.claim<ClaimedEntry>(1, { pausedTypes, limits, executor })
      if (!job) break
      jobs.push(job)
    }
    return jobs
  }
}

/** Whether a statement of the transaction violated a unique constraint, which pg-boss caught. */
function hasConflict(error: unknown): boolean {
  const code = codeOf(error)
  return code === 'tx_aborted' || code === '25P02'
}

/**
 * Makes claimed jobs due again, as if never claimed, and wakes the workers, also after an outage. Once
 * the signal aborts, it tries that only once more. On connections that no handler can hold, because
 * handlers may hold all others.
 */
export async function unclaim(
  queue: Queue,
  jobs: readonly ClaimedEntry[],
  signal: AbortSignal,
): Promise<void> {
  if (jobs.length === 0) return
  const { schema, partition, name } = queue
  const retryCounts = jobs.map(({ retryCount }) => retryCount)
  // It may run twice, because it finds only these claims.
  const text = `with freed as (
       update ${schema}.${partition} job set
         state = (case when claimed.retry_count = 0 then 'created' else 'retry' end)::${schema}.job_state,
         started_on = case when claimed.retry_count > 0 then job.started_on end,
         retry_count = greatest(claimed.retry_count - 1, 0), heartbeat_on = null
       from unnest($2::uuid[], $3::int[], $4::timestamptz[])
         as claimed (id, retry_count, started_on)
       where job.name = $1 and job.id = claimed.id and job.state = 'active'
         and job.retry_count = claimed.retry_count and job.started_on = claimed.started_on
       returning 1
     )
     ${wakeSql(queue)} where exists (select from freed)`
  const claims = [jobs.map(({ id }) => id), retryCounts, jobs.map(({ startedOn }) => startedOn)]
  await untilAvailable(() => queue.query(text, [name, ...claims]), signal)
}
