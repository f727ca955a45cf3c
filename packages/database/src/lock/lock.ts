import { randomUUID } from 'node:crypto'
import { rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { attempt, DatabaseError, say } from '../errors.ts'
import { socketFolder } from '../shared/socket-path.ts'
import {
  claimPath,
  createLock,
  readLock,
  replaceLock,
  type LockRecord,
  type SeenLock,
} from './lock-file.ts'
import { isAlive, ownIdentity, type ProcessIdentity } from './process-identity.ts'

const touchEveryMs = 1000
const lookEveryMs = 50
const confirmAfterMs = 100
/** A holder touches its lock once a second; three missed touches are a stalled disk, four are death. */
const staleAfterMs = 4000
/** An empty or broken file is a lock being written, which takes no time unless the writer died. */
const unwrittenAfterMs = 2000

/** A lock that this process has taken. */
export type HeldLock = ReturnType<typeof holdLock>

interface LockOptions<Met> {
  waitMs: number
  /** Tries to do without the lock, by what another process that holds it offers. */
  meet?: (holder: LockRecord) => Promise<Met | undefined>
}

/**
 * Takes the folder for this process, waiting for at most `waitMs` for a live holder. A dead holder's
 * lock is taken over at once. A holder elsewhere that does not stir is watched to the end even beyond
 * `waitMs`, or a short wait could never outlast a container that was killed. Gives what `meet` resolves
 * to instead, once it does.
 *
 * Errors: `locked` names the holder and what to do.
 */
export async function takeLock<Met = never>(
  folder: string,
  { waitMs, meet }: LockOptions<Met>,
): Promise<HeldLock | Met> {
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
      // Before the holder is met, who may take its time to leave.
      const isLate = performance.now() >= deadline
      const met = isOurs(holder) ? undefined : await meet?.(holder)
      if (met !== undefined) return met
      if (isLate) throw lockedBy(holder)
    }
    await delay(lookEveryMs)
  }

  function tryToTake(): 'taken' | 'wait' | LockRecord {
    const seen = readLock(path)
    if (!seen) return createLock(path, record) ? 'taken' : 'wait'
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

  // A process that was stopped for seconds inside a takeover may have come after us.
  async function isConfirmed(): Promise<boolean> {
    await delay(confirmAfterMs)
    return readLock(path)?.record?.token === record.token
  }

  function lockedBy(holder: LockRecord): DatabaseError {
    const { pid, host, since } = holder
    const text = say(isOurs(holder) ? 'locked_by_us' : 'locked', { folder, pid, host, since })
    return new DatabaseError('locked', text)
  }

  function isOurs({ machine, pid }: LockRecord): boolean {
    return machine === me.machine && pid === me.pid
  }
}

/**
 * Watches one lock file over repeated looks. On our own machine the process table decides at once.
 * The pid of another machine or container means nothing here, so there a lock lives as long as its
 * mtime moves: its clock may be off by any amount, but a moving one has somebody behind it.
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

/** Keeps a taken lock alive by touching it, notices its loss, and gives it back at process exit. */
function holdLock(folder: string, path: string, token: string) {
  let state: 'held' | 'lost' | 'released' = 'held'
  let lookedAt = performance.now()
  const timer = setInterval(touch, touchEveryMs).unref()
  process.once('exit', release)
  return { token, assertHeld, release }

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

  /** Removes the lock file if it is still ours, and the socket of its holder. Idempotent. */
  function release(): void {
    if (state === 'held') look()
    if (state !== 'held') return
    leave('released')
    attempt(() => rmSync(socketFolder(folder), { recursive: true, force: true }), undefined)
    attempt(() => rmSync(path, { force: true }), undefined)
  }

  function leave(next: 'lost' | 'released'): void {
    state = next
    clearInterval(timer)
    process.removeListener('exit', release)
  }
}
