import type { SqlExecutor } from './job.ts'

/**
 * Makes jobs findable by their entry, and those that run countable; pg-boss itself needs neither. To
 * be run on its own connections: on a large table this takes longer than our statements may.
 */
export async function indexJobs(
  boss: Pick<SqlExecutor, 'executeSql'>,
  queueSchema: string,
): Promise<void> {
  const isMissing = `select 1 where to_regclass('${queueSchema}.job_running') is null`
  if ((await boss.executeSql(isMissing)).rows.length === 0) return
  // "if not exists" alone is not atomic; whoever waits here finds the indexes below.
  const lock = `select version from ${queueSchema}.version for update`
  await boss.executeSql(['begin', lock, ...jobIndexes(queueSchema), 'commit'].join(';'))
}

/** The statements that make the indexes; each may be run again. */
export function jobIndexes(queueSchema: string): string[] {
  const job = `${queueSchema}.job`
  return [
    `create index if not exists job_by_entry on ${job} ((data ->> 'entryId'))`,
    `create index if not exists job_running on ${job} (name) where state = 'active'`,
  ]
}
