import { until } from '../../support/until.ts'
import type { Fault } from '../fault.ts'
import { withTraffic } from './with-traffic.ts'

const wanted = 3

export const resetDuringCommit: Fault = {
  name: 'reset-during-commit',
  describe: `${wanted} COMMITs reach the database whose answers never come back`,
  kind: 'other',
  holds: ['database'],
  async inject(world) {
    let count = 0
    world.databaseProxy.meddle(({ bytes, way, forward, cut }) => {
      forward(bytes)
      // The message that asks for a COMMIT by itself, as it stands in the protocol: Q, length, text.
      const isCommit = way === 'up' && count < wanted && bytes.includes('commit\0')
      if (!isCommit) return
      count += 1
      setTimeout(cut, 2)
    })
    try {
      await withTraffic(world, () =>
        until('enough COMMITs', () => count >= wanted, { withinMs: 60_000 }),
      )
    } finally {
      world.databaseProxy.unmeddle()
    }
    return `${count} connections were reset right after their COMMIT went out`
  },
}
