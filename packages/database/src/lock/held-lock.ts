import { rmSync, utimesSync } from 'node:fs'
import { attempt, DatabaseError, say } from '../errors.ts'
import { readLock } from './lock-file.ts'

const touchEveryMs = 1000

/** Keeps a taken lock alive by touching it, notices its loss, and gives it back at process exit. */
export function holdLock(folder: string, path: string, token: string) {
  let state: 'held' | 'lost' | 'released' = 'held'
  let lookedAt = performance.now()
  const timer = setInterval(touch, touchEveryMs).unref()
  process.once('exit', release)
  return { assertHeld, release }

  /** Throws `lock_lost` once somebody else's lock, or none, is in the place of ours. */
  function assertHeld(): void {
    // After a long statement or a suspended machine the timer is late, and others may have been here.
    if (state === 'held' && performance.now() - lookedAt > touchEveryMs) look()
    if (state === 'lost') throw new DatabaseError('lock_lost', say('lock_lost', { folder }))
  }

  function touch(): void {
    look()
    // What fails is tried again within a second.
    if (state === 'held') attempt(() => utimesSync(path, new Date(), new Date()), undefined)
  }

  function look(): void {
    lookedAt = performance.now()
    // A file that cannot be read just now (too many open files) is not a lost lock.
    if (attempt(() => readLock(path)?.record?.token, token) !== token) leave('lost')
  }

  /** Removes the lock file if it is still ours. Idempotent. */
  function release(): void {
    if (state === 'held') look()
    if (state !== 'held') return
    leave('released')
    attempt(() => rmSync(path, { force: true }), undefined)
  }

  function leave(next: 'lost' | 'released'): void {
    state = next
    clearInterval(timer)
    process.removeListener('exit', release)
  }
}
