// The door for extensions: they import nothing else of the inbox but its main entry.
import type { Database } from '@feed-receiver/database'
import { tablesIn } from './entry/tables.ts'
import { InboxError } from './errors.ts'
import { extensionPoint, type ExtensionPoint, type InboxExtension } from './extension.ts'
import type { InboxContext, InboxStore } from './context.ts'
import type { Inbox } from './inbox.ts'
import { readOptions } from './options.ts'
import { installTables } from './schema/inbox-sql.ts'

/** An inbox that may have extensions. */
type Extensible = Pick<Inbox<never>, typeof extensionPoint>

/**
 * Adds an extension to an inbox: tables of its own, periodic maintenance, and a look at entries
 * before they are deleted. Best called before `inbox.start()`, which then migrates its tables, and
 * in every process that works, drains or prunes. Throws `InboxError` `bad_option`.
 */
export function extendInbox(inbox: Extensible, extension: InboxExtension): void {
  pointOf(inbox).add(extension)
}

/**
 * Runs a function with the parts of a running inbox, once its extensions have their tables. In a
 * handler, it runs outside of the transaction of the handler. Errors: those of the function,
 * `not_running`, `not_migrated`, `unfit_database`, `inside_tx`.
 */
export async function withContext<Result>(
  inbox: Extensible,
  work: (context: InboxContext) => Promise<Result>,
): Promise<Result> {
  return await pointOf(inbox).run(work)
}

/** Callers without TypeScript pass anything. */
function pointOf(inbox: Partial<Extensible>): ExtensionPoint {
  const point = inbox[extensionPoint]
  if (point) return point
  throw new InboxError(
    'bad_option',
    'inbox: pass what createInbox returned, or one of the shards of an inbox over several.',
  )
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
/** What alert rules read from the tables of an inbox. */
export { readAlertInputs } from './admin/alert-inputs.ts'
/** Which problem of the health an alert notifies of. */
export { findNotified } from './admin/problems.ts'
/** The problems that alerts notify of. */
export { limitsOf, storedProblems } from './admin/stored-problems.ts'
/** A filter of entries as SQL. */
export { entryConditions } from './entry/entry-filter.ts'
/** Rejects a statement that would end the transaction of a handler. */
export { refuseControl } from './handle/transactions.ts'
/** Warns of handlers whose type looks misspelled. */
export { warnOfTypes } from './handle/warnings.ts'
export { cleanText } from './entry/columns.ts'
export { isoTime } from './entry/sql.ts'
export { hasTimedOut } from './errors.ts'
export { registerExtension } from './extension.ts'
export { repeat } from './repeat.ts'
export { reportTo } from './report-to.ts'
export { withTimeout } from './timeout.ts'

export type { AlertInputs, AlertLimits } from './admin/alert-inputs.ts'
export type { StoredProblemCode, StoredSettings } from './admin/stored-problems.ts'
export type { InboxExtension, MaintainOptions } from './extension.ts'
export type { InboxContext, InboxStore } from './context.ts'
export type { Privilege, TablePrivileges, Tables } from './entry/tables.ts'
export type { Queue } from './queue/queue.ts'
