import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'
import { withTraffic } from './with-traffic.ts'

export const senderKilled: Fault = {
  name: 'sender-killed',
  describe: 'the sender is killed between attempts, and continues from its log',
  kind: 'other',
  holds: ['sender'],
  async inject(world, { random }) {
    const { sender } = world
    await withTraffic(world, () => delay(random.below(500)))
    const mark = sender.mark()
    const replaced = sender.replaced('SIGKILL')
    sender.signal('SIGKILL')
    const { oldPid, newPid } = await replaced
    const line = await sender.logged(/^sending, with \d+ acknowledged before$/, mark)
    return `pid ${oldPid} became ${newPid}, ${line}`
  },
}
