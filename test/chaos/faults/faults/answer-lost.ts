import { until } from '../../../support/until.ts'
import type { Fault } from '../fault.ts'
import { withTraffic } from './with-traffic.ts'

const wanted = 5

export const answerLost: Fault = {
  name: 'answer-lost',
  describe: `${wanted} responses of the receivers are lost on their way to the sender`,
  kind: 'other',
  holds: ['front'],
  async inject(world) {
    let count = 0
    world.front.meddle(({ bytes, way, forward, cut }) => {
      const isLost = way === 'down' && count < wanted && bytes.includes('HTTP/1.1 202')
      if (!isLost) return forward(bytes)
      count += 1
      cut()
    })
    try {
      await withTraffic(world, () =>
        until('enough answers', () => count >= wanted, { withinMs: 60_000 }),
      )
    } finally {
      world.front.unmeddle()
    }
    return `${count} responses with 202 were dropped and their connections reset`
  },
}
