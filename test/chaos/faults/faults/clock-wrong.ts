import type { Fault } from '../fault.ts'
import { chooseReceiver } from './choose-member.ts'
import { withTraffic } from './with-traffic.ts'

export const clockFast = clockWrong('fast', 400)
export const clockSlow = clockWrong('slow', -400)

function clockWrong(how: 'fast' | 'slow', clockOffsetSeconds: number): Fault {
  return {
    name: `clock-${how}`,
    describe: `the clock of a receiver is ${Math.abs(clockOffsetSeconds)} s ${how}`,
    promise:
      'A delivery that seems too old or too new is answered with 503, which the service retries, and never with an answer that stops the feed.',
    kind: 'other',
    holds: ['receiver'],
    async inject(world, target) {
      const receiver = chooseReceiver(world, target)
      const mark = receiver.mark()
      await receiver.send({ clockOffsetSeconds })
      const answer = /^answered 503 outside_window/
      await withTraffic(world, () => receiver.logged(answer, mark))
      await receiver.send({ clockOffsetSeconds: 0 })
      return `${receiver.name} answered 503 outside_window`
    },
  }
}
