import { InboxError } from '../errors.ts'

const maxPageSize = 500

/** Checks how many rows a page may have. */
export function checkPageSize(limit: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= maxPageSize) return
  throw new InboxError('bad_option', `limit: use a whole number from 1 to ${maxPageSize}.`)
}
