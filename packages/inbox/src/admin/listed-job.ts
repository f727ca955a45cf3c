import { withoutSecrets } from '@feed-receiver/core/internal'
import { maxErrorRead, messageSql } from '../entry/error-sql.ts'
import type { Tables } from '../entry/tables.ts'
import { queueNamesSql } from '../queue-names.ts'

/** The job of an entry as a list shows it. */
export interface ListedJob {
  state: 'waiting' | 'retrying' | 'running' | 'completed' | 'cancelled' | 'failed'
  /** How often the handler was started. */
  attempts: number
  maxAttempts: number
  /** The error of the last failed attempt: in a list one line, without passwords. */
  lastError: { message: string } | null
}

/** Like `ListedJob`, as the queue has it. */
export interface KnownJob extends Omit<ListedJob, 'lastError'> {
  message: string | null
}

/** The members of a pg-boss job, as columns. */
export const jobSql = {
  state: `case state::text
    when 'created' then 'waiting' when 'retry' then 'retrying' when 'active' then 'running'
    else state::text
  end`,
  attempts: 'case when started_on is null then 0 else retry_count + 1 end',
  maxAttempts: 'retry_limit + 1',
  message: messageSql('output'),
}

const maxShown = 300

/**
 * SQL for the latest job of each received or dead `entry` of the source `$1`, as an object. Ended
 * entries have none.
 */
export function listedJobSql({ job }: Pick<Tables, 'job'>): string {
  return `
    select jsonb_build_object('state', ${jobSql.state}, 'attempts', ${jobSql.attempts},
      'maxAttempts', ${jobSql.maxAttempts}, 'message', left(${jobSql.message}, ${maxErrorRead})) as job
    from ${job}
    where data ->> 'entryId' = entry.id::text and name in (${queueNamesSql('$1')})
      and entry.state in ('received', 'dead')
    order by created_on desc limit 1`
}

export function readListedJob(known: KnownJob | null): ListedJob | null {
  if (!known) return null
  const { message, ...job } = known
  return { ...job, lastError: message === null ? null : { message: toLine(message) } }
}

/** The first line of an error, without passwords. */
export function toLine(message: string): string {
  const [line = ''] = withoutSecrets(message)
    .trim()
    .split(/\s*[\r\n]/, 1)
  return line.length > maxShown ? `${line.slice(0, maxShown).toWellFormed()}…` : line
}
