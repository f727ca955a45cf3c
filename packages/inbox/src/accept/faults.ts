import { codeOf } from '../errors.ts'

/**
 * Whether a statement failed because of one of its items. SQLSTATE classes: bad data, a constraint,
 * a limit of the server. Other failures (no connection, no disk, a timeout) would fail the items
 * one by one as well, only more slowly.
 */
export function isItemsFault(error: unknown): boolean {
  return /^(22|23|54)/.test(codeOf(error) ?? '')
}

const diskFull = '53100'
/**
 * If a load balancer acts on the health, no delivery arrives meanwhile. After this time the next
 * one may try.
 */
const rememberMs = 60_000

/** Remembers whether a recent write failed because the database's disk is full. */
export function watchDisk() {
  let failedAt = -Infinity
  return {
    /** Passes on the result of a write. */
    async watch<T>(writing: Promise<T>): Promise<T> {
      try {
        const result = await writing
        failedAt = -Infinity
        return result
      } catch (error) {
        if (codeOf(error) === diskFull) failedAt = performance.now()
        throw error
      }
    },
    isFull: () => performance.now() - failedAt < rememberMs,
  }
}
