import { codeOf } from '../errors.ts'

/**
 * Whether a statement failed because of one of its items. SQLSTATE classes: bad data, a constraint,
 * a limit of the server. Other failures (no connection, no disk, a timeout) would fail the items
 * one by one as well, only more slowly.
 */
export function isItemsFault(error: unknown): boolean {
  return /^(22|23|54)/.test(codeOf(error) ?? '')
}
