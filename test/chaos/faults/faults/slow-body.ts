import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'
import { withTraffic } from './with-traffic.ts'

/** Longer than a receiver waits for a body, and shorter than the service waits for a response. */
const heldMs = 9_000

export const slowBody: Fault = {
  name: 'slow-body',
  describe: `a delivery whose body arrives ${heldMs / 1_000} s after its head`,
  promise: 'A body that does not arrive is answered before the service gives up.',
  kind: 'other',
  holds: ['front', 'receivers'],
  async inject(world) {
    const marks = world.receivers.map((receiver) => receiver.mark())
    let isHeld = false
    world.front.meddle(async ({ bytes, way, forward }) => {
      const bodyStart = bytes.indexOf('\r\n\r\n') + 4
      if (isHeld || way === 'down' || bodyStart < 4) return forward(bytes)
      isHeld = true
      forward(bytes.subarray(0, bodyStart))
      await delay(heldMs)
      forward(bytes.subarray(bodyStart))
    })
    try {
      await withTraffic(world, () =>
        Promise.any(
          world.receivers.map((receiver, index) =>
            receiver.logged(/^answered \d+ body_timeout/, marks[index] ?? 0, 30_000),
          ),
        ),
      )
    } finally {
      world.front.unmeddle()
    }
    return `a body was held back for ${heldMs} ms, and answered as body_timeout`
  },
}
