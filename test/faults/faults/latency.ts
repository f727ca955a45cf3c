import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'
import { withTraffic } from './with-traffic.ts'

const latencyMs = 2_000
const lastsMs = 6_000

export const latency: Fault = {
  name: 'latency',
  describe: `for ${lastsMs / 1_000} s every answer of the database takes ${latencyMs / 1_000} s longer`,
  kind: 'other',
  holds: ['database'],
  async inject(world) {
    let late = 0
    world.databaseProxy.meddle(async ({ bytes, way, arrivedAt, forward }) => {
      if (way === 'down') {
        await delay(Math.max(0, arrivedAt + latencyMs - performance.now()))
        late += 1
      }
      forward(bytes)
    })
    await withTraffic(world, () => delay(lastsMs))
    world.databaseProxy.unmeddle()
    if (late === 0) throw new Error('the database answered nothing meanwhile')
    return `${late} answers came ${latencyMs} ms late`
  },
}
