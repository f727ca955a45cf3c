import type { Tx } from '@feed-receiver/database'
import type { ClaimedJob, Place } from './queue.ts'

/** How many jobs get their group in one transaction. */
const sliceSize = 1_000

/**
 * Hands claimed jobs back as if never claimed, for a later claim. Jobs from older versions get the
 * type of their event as group.
 */
export async function handBack(
  tx: Tx,
  { tables, queue }: Place,
  jobs: readonly ClaimedJob[],
): Promise<void> {
  const { schema, partition, name } = queue
  const retryCounts = jobs.map(({ retryCount }) => retryCount)
  await tx.query(
    `update ${schema}.${partition} job set
       state = (case when claimed.retry_count = 0 then 'created' else 'retry' end)::${schema}.job_state,
       started_on = case when claimed.retry_count > 0 then started_on end,
       retry_count = greatest(claimed.retry_count - 1, 0), heartbeat_on = null,
       ${setGroup(tables.entry)}
     from unnest($2::uuid[], $3::int[]) as claimed (id, retry_count)
     where job.name = $1 and job.id = claimed.id and job.state = 'active'
       and job.retry_count = claimed.retry_count`,
    [name, jobs.map(({ id }) => id), retryCounts],
  )
}

/** Sets the group of jobs that older versions queued, in slices. */
export async function groupOldJobs(tx: Tx, { tables, queue }: Place): Promise<void> {
  const table = `${queue.schema}.${queue.partition}`
  await tx.query(
    `update ${table} job set ${setGroup(tables.entry)}
     where job.name = $1 and job.id in (
       select id from ${table} where name = $1 and state < 'active' and group_id is null
       order by priority desc, created_on limit ${sliceSize} for update skip locked
     )`,
    [queue.name],
  )
}

// A missing entry has no type, but its job must not be taken for an old one again.
function setGroup(entryTable: string): string {
  const type = `coalesce((select type from ${entryTable} entry
    where entry.id = (job.data ->> 'entryId')::bigint), '')`
  return `group_id = coalesce(group_id, ${type}), group_tier = coalesce(group_tier, ${type})`
}
