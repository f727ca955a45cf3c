import { isoTime } from '../entry/sql.ts'
import type { Place } from './queue.ts'

/** The job of an entry, as the queue has it. */
export interface EntryJobRow {
  id: string
  state: 'waiting' | 'retrying' | 'running' | 'completed' | 'cancelled' | 'failed'
  /** How often a handler was started. */
  attempts: number
  maxAttempts: number
  /** Of the attempt that failed last; the queue keeps no earlier ones. */
  lastError: { message: string; stack: string | null } | null
  /** When a waiting or retrying job is due. */
  nextAttemptAt: string | null
  startedAt: string | null
  endedAt: string | null
}

interface JobRow extends Omit<EntryJobRow, 'lastError'> {
  message: string | null
  stack: string | null
}

/** The latest job of an entry; null where the queue has none, or has deleted it since. */
export async function findJob(
  { database, tables, queue }: Place,
  entryId: number,
): Promise<EntryJobRow | null> {
  const { rows } = await database.query<JobRow>(
    `select id::text as id,
       case state::text
         when 'created' then 'waiting' when 'retry' then 'retrying' when 'active' then 'running'
         else state::text
       end as state,
       case when started_on is null then 0 else retry_count + 1 end as attempts,
       retry_limit + 1 as "maxAttempts",
       output ->> 'message' as message, output ->> 'stack' as stack,
       case when state::text in ('created', 'retry') then ${isoTime('start_after')} end
         as "nextAttemptAt",
       ${isoTime('started_on')} as "startedAt", ${isoTime('completed_on')} as "endedAt"
     from ${tables.job}
     where data ->> 'entryId' = $2 and name = $1
     order by created_on desc
     limit 1`,
    [queue.name, String(entryId)],
  )
  const [row] = rows
  if (!row) return null
  const { message, stack, ...job } = row
  return { ...job, lastError: message === null ? null : { message, stack } }
}
