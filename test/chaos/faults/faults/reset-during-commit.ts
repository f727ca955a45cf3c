import { until } from '../../../support/until.ts'
import type { Fault } from '../fault.ts'
import { withTraffic } from './with-traffic.ts'

const wanted = 2

/**
 * The bytes on the wire: a worker's COMMIT, and a receiver's statement that commits by itself. A
 * connection that has prepared that statement sends its name instead.
 */
const commits = { worker: ['commit\0'], receiver: ['insert into feed_inbox.entry', '\0feed_'] }

export const resetDuringCommit: Fault = {
  name: 'reset-during-commit',
  describe: 'connections of handlers and receivers are reset during a COMMIT',
  promise: 'An unknown outcome of a COMMIT is resolved by the next attempt.',
  kind: 'other',
  holds: ['database'],
  async inject(world) {
    const counts = { worker: 0, receiver: 0 }
    world.databaseWire.meddle(({ bytes, way, forward, cut }) => {
      forward(bytes)
      if (way === 'down') return
      for (const who of ['worker', 'receiver'] as const) {
        if (counts[who] >= wanted || !commits[who].some((text) => bytes.includes(text))) continue
        counts[who] += 1
        setTimeout(cut, 2)
      }
    })
    try {
      const isEnough = () => counts.worker >= wanted && counts.receiver >= wanted
      await withTraffic(world, () => until('enough COMMITs', isEnough, { withinMs: 60_000 }))
    } finally {
      world.databaseWire.unmeddle()
    }
    const { worker, receiver } = counts
    return `connections were reset right after ${worker} COMMITs of handlers and ${receiver} of receivers`
  },
}
