import { tablesIn } from './entry/tables.ts'
import { problem } from './errors.ts'
import { isDatabase, readOptions, type InboxOptions } from './inbox-options.ts'
import { migrations } from './migrations/index.ts'
import { moveQueueSql } from './migrations/move-queue.ts'

/** The first migration that is undone. Later ones leave their tables, and find them again. */
const undone = '0013-one-schema.sql'
const newestKnown = Object.keys(migrations).at(-1)

/**
 * Moves the queue of an inbox into a schema of its own, `<schema>_queue`, as in versions before
 * `0013-one-schema.sql`, so that such a version can run again. It ignores the newer tables and
 * columns. Stop all processes of this version first: each start with `migrate: true` moves the
 * queue back. Needs the role that has migrated. Errors: `not_split`, `bad_option`.
 */
export async function splitInbox(
  options: Pick<InboxOptions, 'database' | 'schema'> = {},
): Promise<void> {
  const { database: target, schema } = readOptions(options)
  const { openDatabase } = await import('@feed-receiver/database')
  const database = isDatabase(target) ? target : openDatabase(target)
  try {
    await database.tx(async (tx) => {
      const migration = `${schema}.migration`
      const { rows: found } = await tx.query('select where to_regclass($1) is not null', [
        migration,
      ])
      if (found.length === 0) throw problem('not_split', { schema, newest: 'none', newestKnown })
      await tx.query(`select held from ${schema}.migration_lock for update`)
      const { rows } = await tx.query<{ name: string }>(
        `select name from ${migration} order by name desc limit 1`,
      )
      const newest = rows[0]?.name
      // If a newer migration stayed, no version would accept the schema.
      if (newest !== newestKnown) throw problem('not_split', { schema, newest, newestKnown })
      await tx.executeSql(moveQueueSql(`'${schema}'`, `'${schema}_queue'`, ownTables(schema)))
      await tx.query(`delete from ${migration} where name >= $1`, [undone])
    })
  } finally {
    if (!isDatabase(target)) await database.close()
  }
}

function ownTables(schema: string): string[] {
  const { job: _, ...own } = tablesIn(schema)
  const names = Object.values(own).map((name) => name.slice(schema.length + 1))
  return [...names, 'migration', 'migration_lock']
}
