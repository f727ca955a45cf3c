import type { Database } from '@feed-receiver/database'

/** Makes jobs findable by their entry, and those that run countable; pg-boss itself needs neither. */
export async function indexJobs(database: Database, schema: string): Promise<void> {
  const { rows } = await database.query<{ isMissing: boolean }>(
    `select to_regclass('${schema}_queue.job_running') is null as "isMissing"`,
  )
  if (!rows[0]?.isMissing) return
  await database.tx(async (tx) => {
    // "if not exists" alone is not atomic; whoever waits here finds the indexes below.
    await tx.query(`select held from ${schema}.migration_lock for update`)
    for (const statement of jobIndexes(schema)) await tx.query(statement)
  })
}

/** The statements that make the indexes; each may be run again. */
export function jobIndexes(schema: string): string[] {
  const job = `${schema}_queue.job`
  return [
    `create index if not exists job_by_entry on ${job} ((data ->> 'entryId'))`,
    `create index if not exists job_running on ${job} (name) where state = 'active'`,
  ]
}
