import type { Fault } from '../fault.ts'
import type { Member } from '../member.ts'
import type { ReceiverOrder } from '../programs/run-receiver.ts'
import type { WorkerOrder } from '../programs/run-worker.ts'
import type { World } from '../world.ts'
import { chooseReceiver, chooseWorker } from './choose-member.ts'
import { withTraffic } from './with-traffic.ts'

type Words = Pick<Fault, 'name' | 'describe'>
type PointOf<Order> = Extract<Order, { die: string }>['die']

/** A fault that makes a receiver kill itself with -9 at a named point of its program. */
export function killReceiverAt(point: PointOf<ReceiverOrder>, words: Words): Fault {
  return {
    ...words,
    kind: 'kill',
    holds: ['receiver'],
    inject: (world, target) => killAt(point, world, chooseReceiver(world, target)),
  }
}

/** The same for a worker. */
export function killWorkerAt(point: PointOf<WorkerOrder>, words: Words): Fault {
  return {
    ...words,
    kind: 'kill',
    holds: ['worker'],
    inject: (world, target) => killAt(point, world, chooseWorker(world, target)),
  }
}

/** Returns the proof that it has died. */
export async function killAt<Point extends string>(
  point: Point,
  world: World,
  member: Member<{ die: Point }>,
): Promise<string> {
  const mark = member.mark()
  await member.send({ die: point })
  const { oldPid, newPid } = await withTraffic(world, () => member.replaced('SIGKILL'))
  await member.logged(new RegExp(`^dying ${point}$`), mark)
  return `${member.name} died ${point}, pid ${oldPid} became ${newPid}`
}
