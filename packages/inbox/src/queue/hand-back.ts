import type { InboxContext } from '../context.ts'
import type { ClaimedJob } from './queue.ts'

/**
 * Hands claimed jobs back as if never claimed, for a later claim. On connections that no handler can
 * hold, because handlers may hold all others.
 */
export async function handBack(
  { queue }: Pick<InboxContext, 'queue'>,
  jobs: readonly ClaimedJob[],
): Promise<void> {
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
