import type { Fault, Target } from '../fault.ts'
import type { Member } from '../member.ts'
import type { World } from '../world.ts'
import { withTraffic } from './with-traffic.ts'

/** A fault that has a process kill itself with -9 at a named point of its program. */
export function killAtPoint(
  part: 'receiver' | 'worker',
  point: string,
  { name, describe }: Pick<Fault, 'name' | 'describe'>,
): Fault {
  return {
    name,
    describe,
    kind: 'kill',
    holds: [part],
    async inject(world, target) {
      const member = memberOf(world, part, target)
      const mark = member.mark()
      await member.tell({ die: point })
      const { oldPid, newPid } = await withTraffic(world, () => member.replaced('SIGKILL'))
      await member.logged(new RegExp(`^dying ${point}$`), mark)
      return `${member.name} died ${point}, pid ${oldPid} became ${newPid}`
    },
  }
}

export function memberOf(world: World, part: 'receiver' | 'worker', { which }: Target): Member {
  const members = part === 'receiver' ? world.receivers : world.workers
  const member = members[which]
  if (!member) throw new Error(`there is no ${part} ${which}`)
  return member
}
