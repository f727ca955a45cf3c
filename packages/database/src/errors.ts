import { codeOf, errorWithCode, isError, recognizeCopies } from '@feed-receiver/core/internal'

/** Why a database call failed. The set is closed, so a `switch` over it can be complete. */
export type DatabaseErrorCode =
  /** The target is no PostgreSQL URL, pool or folder. The message says what is wrong with it. */
  | 'bad_target'
  /** No target was given, and `NODE_ENV` is `production`. */
  | 'no_database'
  /** An option is invalid. The message names it and its smallest value. */
  | 'bad_option'
  /** The folder of the embedded database cannot be read or written, or holds no usable database. */
  | 'bad_folder'
  /** The name of a schema, or of the owner of migrations, is invalid. */
  | 'bad_schema'
  /** A parameter of a statement has a value that PostgreSQL cannot store. */
  | 'bad_parameter'
  /** The role lacks a privilege that a migration needs. The message has the statement that grants it. */
  | 'no_privilege'
  /** A transaction has set a DateStyle other than ISO. */
  | 'date_style'
  /** `@electric-sql/pglite` is not installed, or a bundler has left out its files. */
  | 'pglite_missing'
  /** The database cannot be reached, or the connection was lost. The outcome of the statement, a COMMIT included, is unknown. */
  | 'unavailable'
  /** The disk of the embedded database is full. It continues once there is space. */
  | 'disk_full'
  /** Another process, or this one, has the embedded database open already. */
  | 'locked'
  /** Another process took or removed the lock of the embedded database, so this process stopped using it. */
  | 'lock_lost'
  /** The `Database` was closed. */
  | 'closed'
  /** The database was used inside its own transaction, in place of the handle `tx`. */
  | 'outside_tx'
  /** A handle was used after its transaction ended. */
  | 'tx_ended'
  /** A statement of the transaction failed and its error was caught, so COMMIT rolled it back. */
  | 'tx_aborted'
  /** The folder of migrations cannot be read, or its names are not numbered in order. */
  | 'migration_folder'
  /** An applied migration was changed or removed. */
  | 'migration_changed'
  /** The schema has migrations that this version does not know. */
  | 'migration_newer'
  /** A new migration has a lower number than an applied one. */
  | 'migration_order'
  /** A statement of a migration failed. Nothing was changed. */
  | 'migration_failed'

/**
 * An error of this package. SQL errors are not wrapped: they stay the driver's own, with the
 * SQLSTATE as their `code` on both drivers (`23505` for a unique violation).
 */
export class DatabaseError extends errorWithCode<DatabaseErrorCode>('database') {
  static {
    recognizeCopies(this, 'DatabaseError')
  }

  override readonly name = 'DatabaseError'
}

/** The message of an error, for a text that quotes it. */
export function messageOf(error: unknown): string {
  return isError(error) ? error.message : String(error)
}

/** What an error says, on one line. That of a host with several addresses has only a code. */
export function reasonOf(error: unknown): string {
  const text = isError(error) ? error.message || codeOf(error) || error.name : String(error)
  return text.replaceAll(/\s+/g, ' ').trim()
}

/** Checks for a COMMIT that the server answers with ROLLBACK, because neither server throws. */
export function assertCommitted(command: string | undefined): void {
  if (command !== 'COMMIT')
    throw new DatabaseError(
      'tx_aborted',
      'The transaction was rolled back, because one of its statements failed and your code caught the error. Let the error leave the function that you pass to tx(), or use a savepoint around the statement.',
    )
}

/**
 * The SQLSTATE of an error from the server, else undefined. `severity` distinguishes the two:
 * `EPIPE` also has five capitals, and `instanceof` fails with a second copy of `pg`.
 */
export function sqlState(error: unknown): string | undefined {
  if (!isError(error) || !('severity' in error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** The result of a function, or the fallback if it throws. */
export function attempt<T>(run: () => T, otherwise: T): T {
  try {
    return run()
  } catch {
    return otherwise
  }
}

/** The result of a function, or the fallback for an error with that code; rethrows others. */
export function unless<T>(code: string, run: () => T, otherwise: T): T {
  try {
    return run()
  } catch (error) {
    if (codeOf(error) === code) return otherwise
    throw error
  }
}
