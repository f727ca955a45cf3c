import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../../../support/until.ts'
import type { Fault } from '../fault.ts'
import { patienceMs } from '../patience.ts'
import { countRows } from '../count-rows.ts'
import type { World } from '../world.ts'
import { chooseOperator, chooseWorker } from './choose-member.ts'
import { withTraffic } from './with-traffic.ts'

const pausedMs = 4_000

export const handlingPaused: Fault = {
  name: 'handling-paused',
  describe:
    'handling is paused by a process that is killed, and stays paused in a restarted worker',
  kind: 'other',
  holds: ['workers', 'operator', 'database'],
  async inject(world, target) {
    const operator = chooseOperator(world)
    const types = target.random.pick([null, ['model_release', 'outage_started']])
    const worker = chooseWorker(world, target)
    return await withTraffic(world, async () => {
      const killed = operator.replaced('SIGKILL')
      void operator.send({ pause: types }).catch(() => undefined)
      await delay(target.random.below(20))
      operator.signal('SIGKILL')
      await killed
      await operator.send({ pause: types })
      const from = await now(world)
      const replaced = worker.replaced('SIGKILL')
      worker.signal('SIGKILL')
      await replaced
      await delay(pausedMs)
      // A frozen receiver may hold up the traffic for longer.
      const isOneWaiting = async () => (await countWaiting(world, types, await now(world))) > 0
      await until('a delivery waits', isOneWaiting, { withinMs: patienceMs })
      const to = await now(world)
      const waiting = await countWaiting(world, types, to)
      await operator.send({ resume: types })
      // Jobs that were claimed just before may still be handled.
      const handled = await countRows(
        world,
        `select from effect join feed_inbox.entry using (event_id)
         where at between $1::timestamptz + interval '1 second' and $2
           and ($3::text[] is null or type = any($3))`,
        [from, to, types],
      )
      if (handled > 0) throw new Error(`${handled} events were handled during the pause`)
      const isHandled = async () => (await countWaiting(world, types, to)) === 0
      await until('waiting events are handled', isHandled, { withinMs: patienceMs })
      return `${waiting} events of ${types?.join(' and ') ?? 'all types'} waited for ${pausedMs} ms, and were handled then`
    })
  },
}

async function now({ sql }: World): Promise<Date> {
  const [row] = await sql<{ now: Date }>('select clock_timestamp() as now')
  return row?.now ?? new Date()
}

/** Counts events that arrived before a time and are not handled. */
async function countWaiting(world: World, types: string[] | null, to: Date): Promise<number> {
  return await countRows(
    world,
    `select from feed_inbox.entry where state = 'received' and received_at <= $1
       and ($2::text[] is null or type = any($2))`,
    [to, types],
  )
}
