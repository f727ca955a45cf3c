// The door for extensions: they import nothing else of the inbox but its main entry.
import type { Database } from '@feed-receiver/database'
import { tablesIn } from './entry/tables.ts'
import { extensionPoint, type InboxExtension } from './extension.ts'
import type { InboxContext, InboxStore } from './context.ts'
import type { Inbox } from './inbox.ts'
import { readOptions } from './options.ts'
import { installTables } from './schema/inbox-sql.ts'

/** An inbox with an extension. */
export interface ExtendedInbox {
  /**
   * The running inbox, once its extensions have their tables. Errors: `not_running`,
   * `not_migrated`.
   */
  context(): Promise<InboxContext>
}

/**
 * Adds an extension to an inbox: tables of its own, periodic maintenance, and a look at entries
 * before they are deleted. Best called before `inbox.start()`, which then migrates its tables, and
 * in every process that works, drains or prunes. Throws `InboxError` `bad_option`.
 */
export function extendInbox(
  inbox: Pick<Inbox<never>, typeof extensionPoint>,
  extension: InboxExtension,
): ExtendedInbox {
  const point = inbox[extensionPoint]
  point.add(extension)
  return { context: () => point.context() }
}

export interface OpenStoreOptions {
  database: Database
  /** The name of the feed, as in `createInbox`. */
  source: string
  /** The schema of the tables, as in `createInbox`. */
  schema: string
}

/**
 * The tables of an inbox that need not run, for a role that may only read. Changes nothing. Errors:
 * `bad_option`, and `not_migrated` if tables of the inbox or of the extension are missing.
 */
export async function openStore(
  { database, source, schema }: OpenStoreOptions,
  extension?: Pick<InboxExtension, 'name' | 'migrations'>,
): Promise<InboxStore> {
  // Rejects names that SQL does not allow.
  readOptions({ source, schema })
  await installTables(database, { schema, migrate: false })
  if (extension?.migrations) {
    const { name: owner, migrations } = extension
    await installTables(database, { schema, migrate: false, migrations, owner })
  }
  return { database, source, tables: tablesIn(schema) }
}

/** The event of an entry, from its columns `body` and `pull`; null if retention deleted both. */
export { readEntry } from './entry/read-entry.ts'
/** A filter of entries as SQL. */
export { entryConditions } from './entry/entry-filter.ts'
/** Rejects a statement that would end the transaction of a handler. */
export { refuseControl } from './handle/transactions.ts'
/** Warns of handlers whose type looks misspelled. */
export { warnOfTypes } from './handle/warnings.ts'
export { cleanText } from './entry/columns.ts'
export { reportTo } from './report-to.ts'

export type { InboxExtension } from './extension.ts'
export type { InboxContext, InboxStore } from './context.ts'
export type { Tables } from './entry/tables.ts'
export type { Queue } from './queue/queue.ts'
