import { setTimeout as delay } from 'node:timers/promises'
import type { Fault, Target } from '../fault.ts'
import type { Member } from '../member.ts'
import { chooseReceiver, chooseWorker } from './choose-member.ts'

export const killReceiver: Fault = {
  name: 'kill-receiver',
  describe: 'a receiver is killed at a random time',
  kind: 'kill',
  holds: ['receiver'],
  inject: (world, target) => killAtRandom(chooseReceiver(world, target), target),
}

export const killWorker: Fault = {
  name: 'kill-worker',
  describe: 'a worker is killed at a random time',
  kind: 'kill',
  holds: ['worker'],
  inject: (world, target) => killAtRandom(chooseWorker(world, target), target),
}

async function killAtRandom(member: Member, { random }: Target): Promise<string> {
  await delay(random.below(500))
  const replaced = member.replaced('SIGKILL')
  member.signal('SIGKILL')
  const { oldPid, newPid } = await replaced
  return `${member.name} was killed, pid ${oldPid} became ${newPid}`
}
