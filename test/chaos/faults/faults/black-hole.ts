import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'
import { withTraffic } from './with-traffic.ts'

/** Longer than the service waits for an answer. */
const lastsMs = 12_000

export const blackHole: Fault = {
  name: 'black-hole',
  describe: `for ${lastsMs / 1_000} s nothing gets through to the database or back`,
  promise:
    'No answer takes longer than the service waits, and connections without an answer are given up.',
  kind: 'other',
  holds: ['database'],
  async inject(world) {
    let swallowed = 0
    world.databaseWire.meddle(({ bytes }) => {
      swallowed += bytes.length
    })
    await withTraffic(world, () => delay(lastsMs))
    world.databaseWire.unmeddle()
    // The bytes on these connections have gaps by now. A network would reset them, too.
    const count = world.databaseWire.cut()
    if (swallowed === 0) throw new Error('nothing was sent meanwhile')
    return `${swallowed} bytes were swallowed, then ${count} connections reset`
  },
}
