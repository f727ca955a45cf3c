import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, type Database } from '@feed-receiver/database'
import { tablesIn } from '../entry/tables.ts'
import { installTables } from '../schema/inbox-sql.ts'
import { openQueue } from '../queue/open-queue.ts'
import type { InboxContext } from '../context.ts'

/**
 * Runs a function with an empty inbox: on an embedded database in a temporary folder, or in a new
 * schema of a given database. Deletes the folder or the schema afterwards.
 */
export async function withContext<Result>(
  given: Database | undefined,
  source: string,
  run: (context: InboxContext) => Promise<Result>,
): Promise<Result> {
  if (given) {
    const schema = `capsule_${randomBytes(6).toString('hex')}`
    try {
      return await withInboxOn(given, schema, source, run)
    } finally {
      await given.query(`drop schema if exists ${schema} cascade`)
    }
  }
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-capsule-'))
  const database = openDatabase({ folder })
  try {
    return await withInboxOn(database, 'feed_inbox', source, run)
  } finally {
    await database.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function withInboxOn<Result>(
  database: Database,
  schema: string,
  source: string,
  run: (context: InboxContext) => Promise<Result>,
): Promise<Result> {
  await installTables(database, { schema, migrate: true })
  const queue = await openQueue({
    name: source,
    schema,
    boss: database.bossOptions(),
    migrate: true,
    onError: (error) => process.emitWarning(String(error), 'FeedCapsuleWarning'),
  })
  const context = { database, tables: tablesIn(schema), source, queue }
  try {
    return await run(context)
  } finally {
    await queue.stop()
  }
}
