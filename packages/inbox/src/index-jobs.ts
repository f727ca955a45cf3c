import type { Database } from '@feed-receiver/database'

/** Makes jobs findable by their entry, which nothing in pg-boss's own tables does. */
export async function indexJobs(database: Database, schema: string): Promise<void> {
  const queueSchema = `${schema}_queue`
  const { rows } = await database.query<{ isMissing: boolean }>(
    `select to_regclass('${queueSchema}.job_by_entry') is null as "isMissing"`,
  )
  if (!rows[0]?.isMissing) return
  await database.tx(async (tx) => {
    // "if not exists" alone is not atomic; whoever waits here finds the index below.
    await tx.query(`select held from ${schema}.migration_lock for update`)
    await tx.query(
      `create index if not exists job_by_entry on ${queueSchema}.job ((data ->> 'entryId'))`,
    )
  })
}
