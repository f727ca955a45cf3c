// For the other packages of the kit. It may change in every release.
import type { Database } from '@feed-receiver/database'
import type { InboxStore } from './context.ts'
import { tablesIn } from './entry/tables.ts'
import type { InboxExtension } from './extension.ts'
import { readOptions } from './options.ts'
import { installTables } from './schema/inbox-sql.ts'

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

export { idempotencyKeyOf } from './handle/effects.ts'
/** The event of an entry, from its columns `body` and `pull`; null if retention deleted both. */
export { readEntry } from './entry/read-entry.ts'
/** What alert rules read from the tables of an inbox. */
export { readAlertInputs } from './health/alert-inputs.ts'
/**
 * Which problem of the health an alert notifies of, and what to do if it is none; what to do about a
 * stream that is not read.
 */
export { findNotified, fixOfStream, fixOfUnlisted } from './health/problems.ts'
/** The problems that alerts notify of. */
export { limitsOf, storedProblems } from './health/stored-problems.ts'
/** A filter of entries as SQL, the entries that it finds, and the states that it knows. */
export { findConditions, listedStates, matchingSql } from './entry/entry-filter.ts'
export type { Conditions } from './entry/entry-filter.ts'
/** When push last delivered an event, without tests of `check` and `doctor`. */
export { findLastPush } from './admin/gaps.ts'
export { quarantineStates } from './admin/quarantined.ts'
export { findDatabaseWarnings } from './preflight/check-database.ts'
/** Whether a statement failed because an earlier one of its transaction had failed. */
export { isInFailedTx } from './sql-states.ts'
/** The error of `effects.once` after the first statement of the transaction. */
export { effectInsideTx } from './handle/effects.ts'
/** Transactions of the inbox for handlers, which reject a statement that would end them. */
export { ownTransactions, rejectControl } from './handle/transactions.ts'
/** Warns of handlers whose type looks misspelled. */
export { warnOfTypes } from './handle/warnings.ts'
export { cleanText, quoteWord } from './clean-text.ts'
export { otherShard } from './pull/streams.ts'
/** The names of the queues of a source. */
export { queueName, sourceOfQueue } from './queue-names.ts'
export { inOrderSql, isBehindSql, isoTime } from './entry/sql.ts'
export { hasTimedOut } from './errors.ts'
export { isDatabase } from './options.ts'
export { registerExtension } from './extension.ts'
export { createLifecycle } from './lifecycle.ts'
export { repeat } from './repeat.ts'
export { reportTo } from './report-to.ts'
export { withTimeout } from './timeout.ts'

export type { AlertInputs, AlertLimits } from './health/alert-inputs.ts'
export type { StoredProblemCode, StoredSettings } from './health/stored-problems.ts'
