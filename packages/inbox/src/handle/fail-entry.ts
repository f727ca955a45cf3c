import type { Tx } from '@feed-receiver/database'
import { isoTime } from '../entry/sql.ts'
import { codeOf } from '../errors.ts'
import { instruments } from '../telemetry/instruments.ts'
import { enqueueEntries } from '../queue/enqueue-entries.ts'
import type { InboxContext } from '../context.ts'
import type { ClaimedJob } from '../queue/queue.ts'
import type { WorkerContext } from './handle-entry.ts'
import type { DeadEntry, Reports } from './failures.ts'
import { Permanent, RetryAfter } from './handlers.ts'

/** How a run fails. */
interface FailedRun {
  job: ClaimedJob
  error: unknown
  /** The handled revision, if the run came that far. */
  revision: number | undefined
}

/** `settled` if the entry is gone, or another run has ended it. */
type Ending = 'lost' | 'retried' | 'dead' | 'settled'

/**
 * Ends a failed run: the job waits for its retry, or is dead-lettered and the entry marked as dead
 * in the same transaction. The app is notified after the commit. Does nothing if another run has
 * claimed the job.
 */
export async function failEntry<AppTx>(
  context: WorkerContext<AppTx>,
  reports: Reports,
  run: FailedRun,
): Promise<void> {
  const { database, source, onError } = context
  const { job, error } = run
  const isLast = cannotSucceed(error) || job.retryCount >= job.retryLimit
  const { ending, known } = await database.tx(async (tx) => {
    const reached = await (isLast ? endLastTry(tx, context, run) : retryLater(tx, context, run))
    return { ending: reached, known: reached === 'lost' ? null : await findKnown(tx, context, job) }
  })
  if (ending === 'lost') return
  if (ending === 'dead') {
    instruments().handled.add(1, { 'feed.source': source, 'feed.outcome': 'dead' })
  }
  // There is no entry to report on, but the error must not be lost.
  if (!known || ending === 'settled') return onError(error)
  const { eventId, type, nextAttemptAt } = known
  const failure: DeadEntry = {
    eventId,
    type,
    entryId: job.data.entryId,
    attempt: job.retryCount + 1,
    maxAttempts: job.retryLimit + 1,
    error,
  }
  if (ending === 'dead') return reports.dead(failure)
  reports.failed({ ...failure, nextAttemptAt: new Date(nextAttemptAt ?? Date.now()) })
}

/** A retry of a handler that has committed by itself would repeat what it wrote. */
function cannotSucceed(error: unknown): boolean {
  return error instanceof Permanent || codeOf(error) === 'transaction_control'
}

async function retryLater(
  tx: Tx,
  { queue }: InboxContext,
  { job, error }: FailedRun,
): Promise<Ending> {
  if (!(await queue.fail(job, error, tx))) return 'lost'
  if (error instanceof RetryAfter) await queue.postpone(job, error.seconds, tx)
  return 'retried'
}

/**
 * If the content changed during the run, its last attempt was not the last one for the new content,
 * which gets a new job.
 */
async function endLastTry(
  tx: Tx,
  context: InboxContext,
  { job, error, revision: handled }: FailedRun,
): Promise<Ending> {
  const { tables, queue } = context
  const { entryId } = job.data
  // Locks the job before the entry, like the end of a run.
  await queue.spendRetries(job, tx)
  const { rows } = await tx.query<{ revision: number }>(
    `select revision from ${tables.entry}
     where id = $1 and state = 'received' for update`,
    [entryId],
  )
  const isRevised = rows.some(({ revision }) => handled !== undefined && revision > handled)
  if (isRevised) {
    if (!(await queue.complete(job, tx))) return 'lost'
    await enqueueEntries(tx, context, [entryId])
    return 'retried'
  }
  if (!(await queue.fail(job, error, tx))) return 'lost'
  await queue.unblock(tx)
  const { rowCount } = await tx.query(
    `update ${tables.entry} set state = 'dead', handled_at = now()
     where id = $1 and state = 'received'`,
    [entryId],
  )
  return rowCount === 1 ? 'dead' : 'settled'
}

interface Known {
  eventId: string
  type: string
  nextAttemptAt: string | null
}

/** The facts about an entry that are reported beside the error, as of this transaction. */
async function findKnown(
  tx: Tx,
  { tables, queue }: InboxContext,
  { id, data }: ClaimedJob,
): Promise<Known | undefined> {
  const { rows } = await tx.query<Known>(
    `select event_id as "eventId", type, (
       select ${isoTime('start_after')} from ${tables.job} job
       where job.data ->> 'entryId' = entry.id::text and job.name = $2
         and job.state in ('created', 'retry')
       order by job.id = $3::uuid desc, job.created_on desc limit 1
     ) as "nextAttemptAt"
     from ${tables.entry} entry where id = $1`,
    [data.entryId, queue.name, id],
  )
  return rows[0]
}
