import { codeOf } from '../errors.ts'

/**
 * Whether a statement failed over what one of its items holds. SQLSTATE classes: bad data, a
 * constraint, a limit of the server. Everything else (no connection, no disk, no time) would befall
 * the items one by one as well, only more slowly.
 */
export function isItemsFault(error: unknown): boolean {
  return /^(22|23|54)/.test(codeOf(error) ?? '')
}

const diskFull = '53100'
/** Whoever heeds the health sends nothing meanwhile; after that time it may try again. */
const rememberMs = 60_000

/** Remembers whether writing failed lately because the disk of the database is full. */
export function watchDisk() {
  let failedAt = -Infinity
  return {
    /** Passes on what writing comes to. */
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
