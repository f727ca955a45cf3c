import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'
import { withTraffic } from './with-traffic.ts'

const pausedMs = 3_000

export const backlogCrash: Fault = {
  name: 'backlog-crash',
  describe:
    'the databases crash and start again while accepted events wait, because every worker is stopped',
  promise: 'An event that was answered with 2xx is on disk before its answer.',
  kind: 'other',
  holds: ['workers', 'database'],
  async inject(world) {
    const { workers, postgres, redis, queue } = world
    const signalAll = (signal: NodeJS.Signals) => workers.forEach((one) => one.signal(signal))
    try {
      signalAll('SIGSTOP')
      await withTraffic(world, () => delay(pausedMs))
      const waiting = await queue.countLive()
      if (waiting === 0) throw new Error('no event waited')
      await Promise.all([postgres.restart('immediate'), redis?.restart('immediate')])
      return `${waiting} events waited when the databases crashed`
    } finally {
      signalAll('SIGCONT')
    }
  },
}
