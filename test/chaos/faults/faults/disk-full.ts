import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../../../support/until.ts'
import type { Fault } from '../fault.ts'
import { patienceMs } from '../patience.ts'
import { stateOf } from '../process-state.ts'
import type { World } from '../world.ts'
import { withTraffic } from './with-traffic.ts'

const fullMs = 4_000

export const diskFull: Fault = {
  name: 'disk-full',
  describe: `the disk of PostgreSQL has no byte left for ${fullMs / 1_000} s`,
  promise:
    'Deliveries that cannot be stored are answered with 503, and accepted once there is space.',
  kind: 'other',
  holds: ['database', 'receivers', 'workers'],
  needsSmallDisk: true,
  async inject(world) {
    const { disk, receivers, traffic } = world
    if (!disk) throw new Error('PostgreSQL is not on a small disk')
    const marks = receivers.map((receiver) => receiver.mark())
    try {
      disk.fill(world.postgres.pid)
      await withTraffic(world, () =>
        Promise.any(
          receivers.map((receiver, index) =>
            receiver.logged(/^answered 5\d\d /, marks[index] ?? 0),
          ),
        ),
      )
      await withTraffic(world, () => delay(fullMs))
    } finally {
      disk.free(world.postgres.pid)
    }
    const freedAt = performance.now()
    const state = await startIfEnded(world)
    const { acknowledged } = traffic
    const isBack = () => traffic.acknowledged > acknowledged
    await withTraffic(world, () => until('a 2xx', isBack, { withinMs: patienceMs }))
    const seconds = ((performance.now() - freedAt) / 1_000).toFixed(1)
    return `deliveries were answered with 5xx, ${state}, and the first 2xx came ${seconds} s after there was space`
  },
}

/** PostgreSQL stops if it cannot write its log, and its operator restarts it. */
async function startIfEnded({ postgres }: World): Promise<string> {
  if (['R', 'S', 'D'].includes(stateOf(postgres.pid) ?? '')) return 'PostgreSQL went on'
  await postgres.restart('immediate')
  return 'PostgreSQL ended and was started again'
}
