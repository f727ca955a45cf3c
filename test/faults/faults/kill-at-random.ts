import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'
import { memberOf } from './kill-at-point.ts'

export const killReceiver = killAtRandom('receiver')
export const killWorker = killAtRandom('worker')

function killAtRandom(part: 'receiver' | 'worker'): Fault {
  return {
    name: `kill-${part}`,
    describe: `a ${part} is killed at a random time`,
    kind: 'kill',
    holds: [part],
    async inject(world, target) {
      const member = memberOf(world, part, target)
      await delay(target.random.below(500))
      const replaced = member.replaced('SIGKILL')
      member.signal('SIGKILL')
      const { oldPid, newPid } = await replaced
      return `${member.name} was killed, pid ${oldPid} became ${newPid}`
    },
  }
}
