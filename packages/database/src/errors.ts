import { isError, recognizeCopies } from './recognize.ts'

/** Why a database call failed. The set is closed, so a `switch` over it can be complete. */
export type DatabaseErrorCode =
  | 'bad_target'
  | 'no_database'
  | 'bad_option'
  | 'bad_folder'
  | 'bad_schema'
  | 'bad_parameter'
  | 'no_privilege'
  | 'date_style'
  | 'pglite_missing'
  | 'unavailable'
  | 'disk_full'
  | 'locked'
  | 'lock_lost'
  | 'closed'
  | 'outside_tx'
  | 'tx_settled'
  | 'tx_aborted'
  | 'migration_folder'
  | 'migration_changed'
  | 'migration_newer'
  | 'migration_order'
  | 'migration_failed'

/** Where the documentation explains each code. */
const entries = 'https://feed-receiver.github.io/feed-receiver/reference/errors#database-'

/**
 * An error of this package. SQL errors are not wrapped: they stay the driver's own, with the
 * SQLSTATE as their `code` on both drivers (`23505` for a unique violation).
 */
export class DatabaseError extends Error {
  static {
    recognizeCopies(this, 'DatabaseError')
  }

  override readonly name = 'DatabaseError'
  readonly code: DatabaseErrorCode

  constructor(code: DatabaseErrorCode, message: string, options?: ErrorOptions) {
    super(`${message} More: ${entries}${code}`, options)
    this.code = code
  }
}

/** The message of an error, for a text that quotes it. */
export function messageOf(error: unknown): string {
  return isError(error) ? error.message : String(error)
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
    if (isError(error) && 'code' in error && error.code === code) return otherwise
    throw error
  }
}
