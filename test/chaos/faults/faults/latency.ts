import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'
import { withTraffic } from './with-traffic.ts'

const latencyMs = 2_000
const lastsMs = 6_000

export const latency: Fault = {
  name: 'latency',
  describe: `for ${lastsMs / 1_000} s every response of the database takes ${latencyMs / 1_000} s longer`,
  promise: 'Slow answers of the database delay deliveries, and none is lost.',
  kind: 'other',
  holds: ['database'],
  async inject(world) {
    let late = 0
    world.databaseWire.meddle(async ({ bytes, way, arrivedAt, forward }) => {
      if (way === 'down') {
        await delay(Math.max(0, arrivedAt + latencyMs - performance.now()))
        late += 1
      }
      forward(bytes)
    })
    await withTraffic(world, () => delay(lastsMs))
    world.databaseWire.unmeddle()
    if (late === 0) throw new Error('the database did not respond meanwhile')
    return `${late} responses arrived ${latencyMs} ms late`
  },
}
