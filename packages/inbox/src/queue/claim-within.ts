import type { Tx } from '@feed-receiver/database'
import { codeOf } from '../errors.ts'
import type { InboxContext } from '../context.ts'
import type { ClaimedJob, Limits } from './queue.ts'

// A frozen process must not hold up the claims of all others.
const frozenAfterMs = 2_000

/**
 * Claims up to a number of jobs within the limits, which apply across all processes. Claims of one
 * queue wait for each other, because concurrent ones would count the same running jobs. Takes one
 * job at a time, because pg-boss would choose among several of a type at random.
 */
export async function claimWithin(
  { database, queue }: InboxContext,
  limits: Limits,
  pausedTypes: string[],
  wanted: number,
): Promise<ClaimedJob[]> {
  return await database.tx(claimInTurn).catch((error: unknown) => {
    // In an ordered queue, a process without limits claimed the same job. The rollback frees all.
    if (isBeaten(error)) return []
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

/**
 * Whether a statement of the transaction failed with an error that pg-boss caught: a unique
 * constraint.
 */
function isBeaten(error: unknown): boolean {
  const code = codeOf(error)
  return code === 'tx_aborted' || code === '25P02'
}
