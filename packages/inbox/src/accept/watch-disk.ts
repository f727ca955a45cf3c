/** Remembers whether writing failed lately because the disk of the database is full. */
export interface DiskWatch {
  /** Passes on what writing comes to. */
  watch<T>(writing: Promise<T>): Promise<T>
  isFull(): boolean
}

const diskFull = '53100'
/** Whoever heeds the health sends nothing meanwhile; after that time it may try again. */
const rememberMs = 60_000

export function watchDisk(): DiskWatch {
  let failedAt: number | undefined
  return {
    async watch(writing) {
      try {
        const result = await writing
        failedAt = undefined
        return result
      } catch (error) {
        if (isDiskFull(error)) failedAt = performance.now()
        throw error
      }
    },
    isFull: () => failedAt !== undefined && performance.now() - failedAt < rememberMs,
  }
}

function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === diskFull
}
