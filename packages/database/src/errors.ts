import json from './errors.json' with { type: 'json' }

// A copy, so that no declaration imports JSON, which the TypeScript of a user refuses.
const texts = { ...json }

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

/** The text of that name in `errors.json`, with the values in their places. */
export function say(name: keyof typeof texts, values: Record<string, unknown> = {}): string {
  return texts[name].replaceAll(/\{(\w+)\}/g, (_, key: string) => String(values[key]))
}

/** What an error says, for a text that quotes it. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** For a COMMIT that answers ROLLBACK, which neither server calls an error. */
export function assertCommitted(command: string | undefined): void {
  if (command !== 'COMMIT') throw new DatabaseError('tx_aborted', say('tx_aborted'))
}

/**
 * The SQLSTATE of an error that the server itself sent, else undefined. `severity` tells the two
 * apart: `EPIPE` is five capitals too, and `instanceof` fails over a second copy of `pg`.
 */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('severity' in error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** What a function gives, or that value where it throws. */
export function attempt<T>(run: () => T, otherwise: T): T {
  try {
    return run()
  } catch {
    return otherwise
  }
}

/** What a function gives, or that value where it throws an error with that code; others go through. */
export function unless<T>(code: string, run: () => T, otherwise: T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === code) return otherwise
    throw error
  }
}
