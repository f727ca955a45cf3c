import type { Database } from '@feed-receiver/database'
import { auditStores, type AuditOptions, type AuditReport } from './audit/audit-month.ts'
import { checkOption } from './errors.ts'
import { readOptions } from './options.ts'
import { tablesIn } from './entry/tables.ts'
import { installTables } from './schema/inbox-sql.ts'

export interface AuditInboxOptions extends AuditOptions {
  /** The open databases of the shards in their order, or the one of an inbox. */
  databases: readonly Database[]
  source: string
  schema: string
}

/**
 * Like `inbox.audit`, without starting an inbox. With a role that has only `select` on the tables,
 * it seals no days and computes their heads. Errors: `not_migrated`, `bad_option`, `not_sealed`.
 */
export async function auditInbox({
  databases,
  source,
  schema,
  ...options
}: AuditInboxOptions): Promise<AuditReport> {
  checkOption(databases.length > 0, 'databases: give at least one.')
  // Rejects names that SQL does not allow.
  readOptions({ source, schema })
  for (const database of databases) await installTables(database, { schema, migrate: false })
  const contexts = databases.map((database) => ({ database, source, tables: tablesIn(schema) }))
  return await auditStores((ask) => Promise.all(contexts.map((context) => ask(context))), options)
}
