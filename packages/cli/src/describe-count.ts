import type { BoundedCount } from '@feed-receiver/inbox'

/** A count that may have stopped somewhere, as people say it. */
export function describeCount({ count, isExact }: BoundedCount): string {
  return isExact ? String(count) : `more than ${count}`
}
