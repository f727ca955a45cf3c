import { queueNamesSql } from '../queue-names.ts'
import type { Tables } from './tables.ts'

/** How much of an error is read. Passwords are removed before it is shown. */
export const maxErrorRead = 4_000

/** The message of an error as a job stores it; null if the job has none. */
export function messageSql(output: string): string {
  return `coalesce(${output} ->> 'message', ${output} #>> '{value,message}')`
}

/**
 * The name of an error: a hash, because a message may contain a password. Messages that differ only
 * in words with digits, such as ids, ports and durations, have the same name.
 */
export function errorSql(output: string): string {
  const line = `split_part(ltrim(left(coalesce(${messageSql(output)}, ''), ${maxErrorRead})), E'\\n', 1)`
  const alike = `regexp_replace(${line}, '[[:alnum:]_-]*[0-9][[:alnum:]_-]*', '#', 'g')`
  return `lpad(to_hex(hashtextextended(${alike}, 0)), 16, '0')`
}

/**
 * The latest job of an entry of the source `$1`, as a subquery: of its queue, ordered or not, because
 * the queue of dead letters has jobs of it, too.
 */
export function latestJobSql({ job }: Pick<Tables, 'job'>, entryId: string): string {
  return `(
    select * from ${job} where data ->> 'entryId' = ${entryId}::text
      and name in (${queueNamesSql('$1')})
    order by created_on desc limit 1
  )`
}
