import { rmSync, utimesSync } from 'node:fs'
import { DatabaseError } from '../errors.ts'
import { readLock } from './lock-file.ts'

/** A lock that this process took. */
export interface FolderLock {
  /** Throws `lock_lost` once somebody else's lock, or none, is in the place of ours. */
  assertHeld(): void
  /** Removes the lock file if it is still ours. Idempotent. */
  release(): void
}

const touchEveryMs = 1000

/** Keeps a taken lock alive by touching it, notices its loss, and gives it back at process exit. */
export function holdLock(folder: string, path: string, token: string): FolderLock {
  let state: 'held' | 'lost' | 'released' = 'held'
  let lookedAt = performance.now()
  const timer = setInterval(touch, touchEveryMs).unref()
  process.once('exit', release)
  return { assertHeld, release }

  function assertHeld(): void {
    // After a long statement or a suspended machine the timer is late, and others may have been here.
    if (state === 'held' && performance.now() - lookedAt > touchEveryMs) look()
    if (state !== 'lost') return
    throw new DatabaseError(
      'lock_lost',
      `The lock of the embedded database in ${folder} was removed or taken by another process, so ` +
        'this one has stopped using it: two at once would destroy it. Restart this process, and ' +
        'give the URL of a PostgreSQL as the database if more than one has to run.',
    )
  }

  function touch(): void {
    look()
    if (state === 'held') quietly(() => utimesSync(path, new Date(), new Date()))
  }

  function look(): void {
    lookedAt = performance.now()
    // A file that cannot be read just now (too many open files) is not a lost lock.
    quietly(() => {
      if (readLock(path)?.record?.token !== token) leave('lost')
    })
  }

  function release(): void {
    if (state === 'held') look()
    if (state !== 'held') return
    leave('released')
    quietly(() => rmSync(path, { force: true }))
  }

  function leave(next: 'lost' | 'released'): void {
    state = next
    clearInterval(timer)
    process.removeListener('exit', release)
  }
}

function quietly(run: () => void): void {
  try {
    run()
  } catch {
    // Tried again within a second, or the process is ending.
  }
}
