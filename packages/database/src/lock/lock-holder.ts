import type { SeenLock } from './lock-file.ts'
import { isAlive, type ProcessIdentity } from './process-identity.ts'

/** `undecided`: watched for too short a time to tell. */
export type Verdict = 'alive' | 'dead' | 'undecided'

/** A holder touches its lock once a second; three missed touches are a stalled disk, four are death. */
const staleAfterMs = 4000
/** An empty or broken file is a lock being written, which takes no time unless the writer died. */
const unwrittenAfterMs = 2000

/**
 * Watches one lock file over repeated looks. On our own machine the process table decides at once.
 * The pid of another machine or container means nothing here, so there a lock lives as long as its
 * mtime moves: its clock may be off by any amount, but a moving one has somebody behind it.
 */
export function watchHolder(me: ProcessIdentity): (seen: SeenLock) => Verdict {
  let last: SeenLock | undefined
  let stillSince = 0
  let moved = false

  return function verdictOf(seen) {
    if (seen.record?.machine === me.machine) return isAlive(seen.record) ? 'alive' : 'dead'

    const now = performance.now()
    if (last?.raw !== seen.raw) {
      moved = false
      stillSince = now
    } else if (last.mtimeMs !== seen.mtimeMs) {
      moved = true
      stillSince = now
    }
    last = seen
    if (now - stillSince >= (seen.record ? staleAfterMs : unwrittenAfterMs)) return 'dead'
    return moved ? 'alive' : 'undecided'
  }
}
