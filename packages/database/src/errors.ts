/** Why a database call was refused. The set is closed: a `switch` over it is complete. */
export type DatabaseErrorCode =
  | 'bad_target'
  | 'bad_option'
  | 'bad_folder'
  | 'bad_schema'
  | 'bad_parameter'
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

/**
 * What this package itself refuses. An error of the SQL is not wrapped: it stays the driver's own,
 * with the SQLSTATE as its `code` on both drivers (`23505` for a unique violation).
 */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
  readonly code: DatabaseErrorCode

  constructor(code: DatabaseErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** For a COMMIT that answered ROLLBACK, which neither server calls an error. */
export function rolledBackInstead(cause?: unknown): DatabaseError {
  return new DatabaseError(
    'tx_aborted',
    'The transaction was rolled back instead of committed, because one of its statements had failed ' +
      'and that error was caught. Let such an error leave the function given to tx(), or put the ' +
      'statement behind a savepoint.',
    { cause },
  )
}

/**
 * The SQLSTATE of an error that the server itself sent, else undefined. `severity` tells the two
 * apart: `EPIPE` is five capitals too, and `instanceof` fails over a second copy of `pg`.
 */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('severity' in error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
