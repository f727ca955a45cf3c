import type { Database } from '@feed-receiver/database'
import { didYouMean } from './closest.ts'
import { CliError } from './errors.ts'

const ordered = '_ordered'

/**
 * Finds the queue of a source beside its inbox, and refuses a source that has none. Where there are no
 * queues at all, the start of the inbox says what is missing.
 */
export async function findSource(
  database: Database,
  schema: string,
  source: string,
): Promise<{ isOrdered: boolean }> {
  const table = `"${schema.replaceAll('"', '""')}_queue".queue`
  const { rows } = await database.query<{ isThere: boolean }>(
    'select to_regclass($1::text) is not null as "isThere"',
    [table],
  )
  if (rows[0]?.isThere !== true) return { isOrdered: false }
  const queues = await database.query<{ name: string }>(`select name from ${table} order by name`)
  const names = queues.rows.map(({ name }) => name).filter((name) => !isOfDeadLetters(name))
  const isOrdered = names.includes(source + ordered)
  const sources = [...new Set(names.map((name) => name.replace(/_ordered$/, '')))]
  if (sources.length === 0 || sources.includes(source)) return { isOrdered }
  throw new CliError(
    'not_found',
    `This inbox has no source ${source}.${didYouMean(source, sources)} It has: ${sources.join(', ')}.`,
  )
}

function isOfDeadLetters(queue: string): boolean {
  return queue.endsWith('_dead') || queue.startsWith('__')
}
