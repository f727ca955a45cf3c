import { randomUUID } from 'node:crypto'
import { rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { attempt, DatabaseError } from '../errors.ts'
import { removeSockets } from './socket-path.ts'
import {
  claimPath,
  createLock,
  isLock,
  readLock,
  replaceLock,
  type LockRecord,
  type SeenLock,
} from './lock-file.ts'
import { isAlive, ownIdentity, type ProcessIdentity } from './process-identity.ts'

const touchEveryMs = 1000
const pollMs = 50
const confirmAfterMs = 100
/**
 * A holder touches its lock once a second. Missing three may be a stalled disk; after four it is
 * stale.
 */
const staleAfterMs = 4000
/** An empty or broken file is a lock being written. That takes no time unless the writer died. */
const unwrittenAfterMs = 2000

/** The lock of a folder, which this process holds. Its functions also work without the object. */
export interface HeldLock {
  /** Distinguishes it from other locks of this process. */
  readonly token: string
  /** Throws `lock_lost` if the lock file was removed or replaced. */
  assertHeld: () => void
  /** Removes the lock file, if it is still ours, and the sockets of its holders. Idempotent. */
  release: () => void
}

interface LockOptions<Connection> {
  waitMs: number
  /**
   * Tries to work through the process that holds the lock, instead of taking it, and gets the rest
   * of `waitMs`: 0 or less for the last try.
   */
  connect?: (holder: LockRecord, leftMs: number) => Promise<Connection | undefined>
}

/**
 * Locks the folder for this process, and waits at most `waitMs` for a live holder. Takes over the
 * lock of a dead holder at once. It watches a silent holder on another machine or in another
 * container until its lock is stale, even beyond `waitMs`. Otherwise a short wait could never
 * outlast a killed container. If `connect` resolves with a value, returns that value instead.
 *
 * Errors: `locked`, which names the holder and what to do; `bad_folder` if another program has written
 * a file `lock`.
 */
export async function takeLock<Connection = never>(
  folder: string,
  { waitMs, connect }: LockOptions<Connection>,
): Promise<HeldLock | Connection> {
  const path = join(folder, 'lock')
  const me = ownIdentity()
  const record: LockRecord = { ...me, token: randomUUID(), since: new Date().toISOString() }
  const verdictOnLock = watchHolder(me)
  const verdictOnClaim = watchHolder(me)
  const deadline = performance.now() + waitMs

  for (;;) {
    const holder = tryToTake()
    if (holder === 'taken' && (await isConfirmed())) return holdLock(folder, path, record.token)
    if (typeof holder === 'object') {
      // Read the clock before meeting the holder, which may take its time to leave.
      const leftMs = deadline - performance.now()
      const connection = isOurs(holder) ? undefined : await connect?.(holder, leftMs)
      if (connection !== undefined) return connection
      if (leftMs <= 0) throw lockedBy(holder)
    }
    await delay(pollMs)
  }

  function tryToTake(): 'taken' | 'wait' | LockRecord {
    const seen = readLock(path)
    if (!seen) return createLock(path, record) ? 'taken' : 'wait'
    if (!isLock(seen)) {
      const text = `The file ${path} is no lock of an embedded database. Move it away, or use another folder for the database.`
      throw new DatabaseError('bad_folder', text)
    }
    const verdict = verdictOnLock(seen)
    if (verdict === 'alive') return seen.record ?? 'wait'
    if (verdict === 'undecided') return 'wait'
    return replaceLock(path, seen, record) ? 'taken' : whoTakesOver()
  }

  function whoTakesOver(): 'wait' | LockRecord {
    const claim = readLock(claimPath(path))
    if (!claim) return 'wait'
    const verdict = verdictOnClaim(claim)
    if (verdict === 'dead') rmSync(claimPath(path), { force: true })
    return verdict === 'alive' && claim.record ? claim.record : 'wait'
  }

  // A process that was suspended for seconds during a takeover may have replaced our lock.
  async function isConfirmed(): Promise<boolean> {
    await delay(confirmAfterMs)
    return readLock(path)?.record?.token === record.token
  }

  function lockedBy(holder: LockRecord): DatabaseError {
    const { pid, host, since } = holder
    const message = isOurs(holder)
      ? `This process has had the embedded database in ${folder} open since ${since}. Open it once and share that Database, or close() it before you open it again.`
      : `The embedded database in ${folder} is locked by process ${pid} on ${host}, since ${since}. Stop that process, use its console, or pass a PostgreSQL URL as the database, which any number of processes can share.`
    return new DatabaseError('locked', message)
  }

  function isOurs({ machine, pid }: LockRecord): boolean {
    return machine === me.machine && pid === me.pid
  }
}

/**
 * Watches one lock file by looking at it repeatedly. On the same machine the process table decides
 * at once. The pid of another machine or container means nothing here, so such a lock is alive
 * while its mtime changes. Its age says nothing, because the clock there may be wrong.
 */
function watchHolder(me: ProcessIdentity): (seen: SeenLock) => 'alive' | 'dead' | 'undecided' {
  let last: SeenLock | undefined
  let stillSince = 0
  let moved = false

  return function verdictOf(seen) {
    if (seen.record?.machine === me.machine) return isAlive(seen.record) ? 'alive' : 'dead'
    const now = performance.now()
    const isSame = last?.raw === seen.raw
    if (!isSame || last?.mtimeMs !== seen.mtimeMs) {
      moved = isSame
      stillSince = now
    }
    last = seen
    if (now - stillSince >= (seen.record ? staleAfterMs : unwrittenAfterMs)) return 'dead'
    return moved ? 'alive' : 'undecided'
  }
}

/** Keeps a lock alive by touching it, notices its loss, and releases it at process exit. */
function holdLock(folder: string, path: string, token: string): HeldLock {
  let state: 'held' | 'lost' | 'released' = 'held'
  let checkedAt = performance.now()
  const timer = setInterval(touch, touchEveryMs).unref()
  process.once('exit', release)
  return { token, assertHeld, release }

  function assertHeld(): void {
    // After a long statement or a suspension the timer is late, and the lock may be lost.
    if (state === 'held' && performance.now() - checkedAt > touchEveryMs) check()
    if (state === 'lost')
      throw new DatabaseError(
        'lock_lost',
        `The lock of the embedded database in ${folder} was removed or taken by another process, so this process stopped using it: two at once would destroy the data. Restart this process, and if you need more than one, pass a PostgreSQL URL as the database.`,
      )
  }

  function touch(): void {
    check()
    // An error here is retried within a second.
    if (state === 'held') attempt(() => utimesSync(path, new Date(), new Date()), undefined)
  }

  function check(): void {
    checkedAt = performance.now()
    // A file that cannot be read just now (too many open files) is not a lost lock.
    if (attempt(() => readLock(path)?.record?.token, token) !== token) leave('lost')
  }

  function release(): void {
    if (state === 'held') check()
    if (state !== 'held') return
    leave('released')
    attempt(() => removeSockets(folder), undefined)
    attempt(() => rmSync(path, { force: true }), undefined)
  }

  function leave(next: 'lost' | 'released'): void {
    state = next
    clearInterval(timer)
    process.removeListener('exit', release)
  }
}
