import type { Tx } from '@feed-receiver/database'
import type { InboxContext } from '../context.ts'
import { codeOf } from '../errors.ts'
import type { ClaimedJob, Limits, Queue } from '../queue/queue.ts'

/**
 * Creates the function that claims up to a number of due jobs, of no paused type and within the
 * limits of types. If it returns fewer, no other job may run now.
 */
export function createClaim(context: InboxContext, pauses: Pauses, limits: Limits) {
  return claim

  async function claim(wanted: number): Promise<ClaimedJob[]> {
    const before = await pauses.recent()
    if (before.isWhole) return []
    const jobs =
      limits.size === 0
        ? await context.queue.claim(wanted, before.types)
        : await claimWithin(context, limits, before.types, wanted)
    const paused = await pauses.atAnswer(before)
    const allowed = jobs.filter((job) => !isPaused(job, paused))
    if (allowed.length === jobs.length) return jobs
    // A pause began during their claim.
    const others = jobs.filter((job) => isPaused(job, paused))
    await unclaim(context.queue, others)
    return [...allowed, ...(await claim(wanted - allowed.length))]
  }
}

function isPaused({ groupId }: ClaimedJob, { isWhole, types }: Paused): boolean {
  return isWhole || types.includes(groupId ?? '')
}

/** A frozen process must not hold up the claims of all others. */
const frozenAfterMs = 2_000

/**
 * Claims up to a number of jobs within the limits, which apply across all processes. Claims of one
 * queue wait for each other, because concurrent ones would count the same running jobs. Takes one
 * job at a time, because pg-boss would choose among several of a type at random.
 */
async function claimWithin(
  { database, queue }: InboxContext,
  limits: Limits,
  pausedTypes: string[],
  wanted: number,
): Promise<ClaimedJob[]> {
  return await database.tx(claimInTurn).catch((error: unknown) => {
    // In an ordered queue, a process without limits claimed the same job. The rollback frees all.
    if (hasConflict(error)) return []
    throw error
  })

  async function claimInTurn(tx: Tx): Promise<ClaimedJob[]> {
    await tx.query(
      `select set_config('idle_in_transaction_session_timeout', '${frozenAfterMs}', true),
         pg_advisory_xact_lock(hashtextextended($1, 0))`,
      [`claims of ${queue.schema}.${queue.name}`],
    )
    const jobs: ClaimedJob[] = []
    while (jobs.length < wanted) {
      const job = await queue.claimWithin(limits, pausedTypes, tx)
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
 * Makes claimed jobs due again, as if never claimed. On connections that no handler can hold,
 * because handlers may hold all others.
 */
export async function unclaim(queue: Queue, jobs: readonly ClaimedJob[]): Promise<void> {
  if (jobs.length === 0) return
  const { schema, partition, name } = queue
  const retryCounts = jobs.map(({ retryCount }) => retryCount)
  await queue.query(
    `update ${schema}.${partition} job set
       state = (case when claimed.retry_count = 0 then 'created' else 'retry' end)::${schema}.job_state,
       started_on = case when claimed.retry_count > 0 then started_on end,
       retry_count = greatest(claimed.retry_count - 1, 0), heartbeat_on = null
     from unnest($2::uuid[], $3::int[]) as claimed (id, retry_count)
     where job.name = $1 and job.id = claimed.id and job.state = 'active'
       and job.retry_count = claimed.retry_count`,
    [name, jobs.map(({ id }) => id), retryCounts],
  )
}

/** The current pauses, and when this process began to read them. */
interface Paused {
  isWhole: boolean
  types: string[]
  readAt: number
}

/** The pauses of an inbox, as one process knows them. */
export interface Pauses {
  /** The pauses, at most half a second old. */
  recent(): Promise<Paused>
  /** The pauses at the answer of a claim that began with `before`. */
  atAnswer(before: Paused): Promise<Paused>
  /** Makes the next claim read the pauses again. */
  expire(): void
}

/** With a claim in progress, a pause then takes effect within a second without a notification. */
const recentMs = 500
/** A claim answered this long after the pauses were read may have followed a pause. */
const surelyMs = 1_000

/**
 * Creates a cache of the pauses, which reads them again after half a second. Most claims then need
 * no statement, and a process that was frozen reads them before it claims.
 */
export function watchPauses({ tables, source, queue }: InboxContext): Pauses {
  let known: Paused = { isWhole: false, types: [], readAt: -Infinity }
  let newsAt = -Infinity

  return {
    async recent() {
      const isRecent = known.readAt > newsAt && isWithin(known, recentMs)
      return isRecent ? known : await read()
    },
    async atAnswer(before) {
      return isWithin(before, surelyMs) ? before : await read()
    },
    expire() {
      newsAt = performance.now()
    },
  }

  async function read(): Promise<Paused> {
    const readAt = performance.now()
    const rows = await queue.query<{ type: string }>(
      `select type from ${tables.pause} where source = $1`,
      [source],
    )
    const types = rows.map(({ type }) => type).filter((type) => type !== '')
    const paused = { isWhole: types.length < rows.length, types, readAt }
    if (readAt > known.readAt) known = paused
    return paused
  }
}

function isWithin({ readAt }: Paused, ms: number): boolean {
  return performance.now() - readAt < ms
}
