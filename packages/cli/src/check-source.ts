import type { Database } from '@feed-receiver/database'
import { didYouMean } from './closest.ts'
import { CliError } from './errors.ts'

/**
 * Refuses a source that has no queue beside this inbox. Where there are no queues at all, the start
 * of the inbox says what is missing. The schema must have been checked by `createInbox`.
 */
export async function checkSource(
  database: Database,
  schema: string,
  source: string,
): Promise<void> {
  const table = `${schema}_queue.queue`
  const { rows } = await database.query<{ isThere: boolean }>(
    'select to_regclass($1::text) is not null as "isThere"',
    [table],
  )
  if (rows[0]?.isThere !== true) return
  const queues = await database.query<{ name: string }>(`select name from ${table} order by name`)
  const sources = queues.rows.map(({ name }) => name).filter((name) => !isOfDeadLetters(name))
  if (sources.length === 0 || sources.includes(source)) return
  throw new CliError(
    'not_found',
    `This inbox has no source ${source}.${didYouMean(source, sources)} It has: ${sources.join(', ')}.`,
  )
}

function isOfDeadLetters(queue: string): boolean {
  return queue.endsWith('_dead') || queue.startsWith('__')
}
