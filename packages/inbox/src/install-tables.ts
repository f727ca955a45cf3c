import type { Database } from '@feed-receiver/database'
import { InboxError } from './errors.ts'

/** The inbox's own migrations. */
export const migrations = new URL('../sql/', import.meta.url)

/** Migrates the tables, or where that is not wanted, makes sure that somebody has. */
export async function installTables(
  database: Database,
  schema: string,
  migrate: boolean,
): Promise<void> {
  if (migrate) {
    await database.migrate(migrations, { schema })
    return
  }
  const missing = await database.missingMigrations(migrations, { schema })
  if (missing.length === 0) return
  throw new InboxError(
    'not_migrated',
    `The schema ${schema} lacks ${missing.join(', ')}, and this inbox may not migrate. On an empty ` +
      'database run the text of inboxSql() as the owner; on one that has an older version call start ' +
      'once as the owner, without migrate: false.',
  )
}
