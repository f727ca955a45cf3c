import { codeOf } from './errors.ts'
import { isInFailedTx } from './sql-states.ts'

/** What a process does for events, as far as the database can keep it from doing so. */
export type Work = 'accept' | 'quarantine' | 'accept_page' | 'claim' | 'finish'

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

/** What a process has failed to do since it last succeeded. */
export interface WatchedWork {
  /** Passes on the result of some work. */
  watch<T>(work: Work, doing: Promise<T>): Promise<T>
  succeeded(work: Work): void
  failed(work: Work, error: unknown): void
  /** The failures of this kind; undefined if its last try succeeded. */
  failing(work: Work): Failing | undefined
}

/**
 * Remembers what has failed in this process since it last succeeded. In memory, because a database
 * that refuses writes cannot store it.
 */
export function watchWork(): WatchedWork {
  const failing = new Map<Work, Failing>()
  return {
    async watch(work, doing) {
      try {
        const result = await doing
        succeeded(work)
        return result
      } catch (error) {
        failed(work, error)
        throw error
      }
    },
    succeeded,
    failed,
    failing: (work) => failing.get(work),
  }

  function succeeded(work: Work): void {
    failing.delete(work)
  }

  function failed(work: Work, error: unknown): void {
    if (isNoFault(error)) return
    const lastAt = new Date()
    const known = failing.get(work)
    // All deliveries of a group fail with the error of one statement.
    if (known?.error === error) return
    const { count = 0, since = lastAt } = known ?? {}
    failing.set(work, { work, count: count + 1, since, lastAt, error })
  }
}

/** Another process works on, or the caller made a mistake: the database does its part. */
function isNoFault(error: unknown): boolean {
  return noFaults.has(codeOf(error) ?? '') || isInFailedTx(error)
}

const noFaults: ReadonlySet<string> = new Set([
  'lease_lost',
  'claim_lost',
  'transaction_control',
  'bad_option',
  'not_running',
])
