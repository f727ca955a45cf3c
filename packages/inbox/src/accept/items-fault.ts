/**
 * Whether a statement failed over what one of its items holds. SQLSTATE classes: bad data, a
 * constraint, a limit of the server. Everything else (no connection, no disk, no time) would befall
 * the items one by one as well, only more slowly.
 */
export function isItemsFault(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(22|23|54)/.test(String(error.code))
}
