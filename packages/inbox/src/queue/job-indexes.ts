import type { SqlExecutor } from './queue.ts'

/**
 * Creates indexes to find jobs by their entry, and to count failing ones. pg-boss itself
 * needs none. Run it on a separate connection, because on a large table it takes longer than
 * our statement timeout.
 */
export async function indexJobs(
  boss: Pick<SqlExecutor, 'executeSql'>,
  queueSchema: string,
): Promise<void> {
  const isMissing = `select 1 where to_regclass('${queueSchema}.job_failing') is null`
  if ((await boss.executeSql(isMissing)).rows.length === 0) return
  // "if not exists" alone is not atomic. A process that waits here then finds the indexes.
  const lock = `select version from ${queueSchema}.version for update`
  await boss.executeSql(['begin', lock, ...jobIndexes(queueSchema), 'commit'].join(';'))
}

/** The statements that create the indexes. Each may run again. */
export function jobIndexes(queueSchema: string): string[] {
  const job = `${queueSchema}.job`
  return [
    `create index if not exists job_by_entry on ${job} ((data ->> 'entryId'))`,
    `create index if not exists job_failing on ${job} (((data ->> 'entryId')::bigint))
       where state = 'retry'`,
  ]
}
