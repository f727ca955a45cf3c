import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../../../support/until.ts'
import type { Fault, Target } from '../fault.ts'
import type { Member } from '../member.ts'
import { patienceMs } from '../patience.ts'
import { stateOf } from '../process-state.ts'
import type { World } from '../world.ts'
import { chooseReceiver, chooseWorker } from './choose-member.ts'
import { withTraffic } from './with-traffic.ts'

/** Longer than the claims of a worker last without a heartbeat. */
const pausedMs = 7_000

export const receiverPaused = processPaused('receiver', chooseReceiver)
export const workerPaused = processPaused('worker', chooseWorker)

function processPaused(
  part: 'receiver' | 'worker',
  choose: (world: World, target: Target) => Member,
): Fault {
  return {
    name: `${part}-paused`,
    describe: `a ${part} is stopped for ${pausedMs / 1_000} s (SIGSTOP, then SIGCONT)`,
    kind: 'other',
    holds: [part],
    async inject(world, target) {
      const member = choose(world, target)
      const { pid } = member
      return await withTraffic(world, async () => {
        try {
          member.signal('SIGSTOP')
          await until(`${member.name} is stopped`, () => stateOf(pid) === 'T')
          await delay(pausedMs)
        } finally {
          member.signal('SIGCONT')
        }
        const resumedAt = new Date()
        const isBack = async () => (await world.sql(asked, [member.name, resumedAt])).length > 0
        await until(`${member.name} works again`, isBack, { withinMs: patienceMs })
        const seconds = (Date.now() - resumedAt.getTime()) / 1_000
        return `${member.name} was in state T for ${pausedMs} ms, and worked again after ${seconds.toFixed(1)} s`
      })
    },
  }
}

/** On these connections, a receiver only stores and a worker only handles. */
const asked = `select from pg_stat_activity
  where application_name = $1 and query <> '' and state_change > $2`
