import { codeOf } from './errors.ts'

/** What a process does for events, as far as the database can keep it from doing so. */
export type Work = 'accept' | 'quarantine' | 'accept_page' | 'claim'

/** Failures of one kind of work since its last success. */
export interface Failing {
  work: Work
  count: number
  /** When the first and the last one failed. */
  since: Date
  lastAt: Date
  /** Of the last one. */
  error: unknown
}

export type WatchedWork = ReturnType<typeof watchWork>

/**
 * Remembers what has failed in this process since it last succeeded. In memory, because a database
 * that refuses writes cannot store it.
 */
export function watchWork() {
  const failing = new Map<Work, Failing>()
  return {
    /** Passes on the result of some work. */
    async watch<T>(work: Work, doing: Promise<T>): Promise<T> {
      try {
        const result = await doing
        failing.delete(work)
        return result
      } catch (error) {
        if (!isNoFault(error)) fail(work, error)
        throw error
      }
    },
    /** The kind among these that fails most; undefined if the last try of each succeeded. */
    worst: (...works: readonly Work[]): Failing | undefined =>
      works
        .flatMap((work) => failing.get(work) ?? [])
        .toSorted((one, other) => other.count - one.count)[0],
  }

  function fail(work: Work, error: unknown): void {
    const lastAt = new Date()
    const { count = 0, since = lastAt } = failing.get(work) ?? {}
    failing.set(work, { work, count: count + 1, since, lastAt, error })
  }
}

/** Another process works on, or the caller made a mistake: the database does its part. */
function isNoFault(error: unknown): boolean {
  return ['lease_lost', 'bad_option', 'not_running'].includes(codeOf(error) ?? '')
}
