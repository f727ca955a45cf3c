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
