import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../../../support/until.ts'
import type { Fault } from '../fault.ts'
import { stateOf } from '../process-state.ts'
import type { World } from '../world.ts'
import { withTraffic } from './with-traffic.ts'

/** As long as a failover manager takes to be sure. */
const unnoticedMs = 3_000
const limitSeconds = 30

export const primaryKilled = primaryFails(
  'killed',
  'every process of PostgreSQL is killed, and its synchronous standby promoted',
)
export const primaryFrozen = primaryFails(
  'frozen',
  'PostgreSQL freezes forever with open connections, and its synchronous standby is promoted',
)

function primaryFails(how: 'killed' | 'frozen', describe: string): Fault {
  return {
    name: `primary-${how}`,
    describe,
    promise: `Receiving and handling work again by themselves, within ${limitSeconds} s of the promotion.`,
    kind: 'other',
    holds: ['database'],
    async inject(world) {
      const { supervisor } = world.queue
      const standby = await world.startStandby()
      // The inboxes must recover without the help of the harness.
      supervisor.pause()
      try {
        const { pid, promotedAt, returned } = await withTraffic(world, async () => {
          const failed = await fail(world, how)
          await delay(unnoticedMs)
          const { acknowledged } = world.traffic
          await world.promote(standby)
          const at = Date.now()
          return { pid: failed, promotedAt: at, returned: await returnOf(world, acknowledged, at) }
        })
        const takenBack = await endOfEarlierClaims(world, promotedAt)
        return `pid ${pid} was ${how}; after the promotion of its standby ${returned}, and the last earlier claim ended after ${takenBack.toFixed(1)} s`
      } finally {
        supervisor.resume()
      }
    },
  }
}

async function fail({ postgres, traffic }: World, how: 'killed' | 'frozen'): Promise<number> {
  const { pid } = postgres
  const { acknowledged } = traffic
  const isFlowing = () => traffic.acknowledged > acknowledged
  await until('events are handled with the standby', isFlowing, { withinMs: 60_000 })
  if (how === 'frozen') {
    postgres.freeze()
    await until('PostgreSQL is stopped', () => stateOf(pid) === 'T')
  } else {
    postgres.kill()
    await until('PostgreSQL is gone', () => !['R', 'S', 'D'].includes(stateOf(pid) ?? ''))
  }
  return pid
}

/** Says when everything worked again, and throws if that took too long. */
async function returnOf(world: World, acknowledged: number, promotedAt: number): Promise<string> {
  const isHandled = async () =>
    (await world.sql('select from effect where at > $1 limit 1', [new Date(promotedAt)])).length > 0
  const [answered, handled] = await Promise.all([
    secondsUntil('a 2xx', promotedAt, () => world.traffic.acknowledged > acknowledged),
    secondsUntil('an event is handled', promotedAt, isHandled),
  ])
  const says = `the first 2xx came after ${answered.toFixed(1)} s, the first event was handled after ${handled.toFixed(1)} s`
  if (Math.max(answered, handled) > limitSeconds) throw new Error(`${says}: too late`)
  return says
}

/** In seconds. It needs no new events, and a receiver may take minutes for it. */
async function endOfEarlierClaims({ queue }: World, promotedAt: number): Promise<number> {
  const isTakenBack = async () => (await queue.countRunningSince(new Date(promotedAt))) === 0
  return await secondsUntil('earlier claims have ended', promotedAt, isTakenBack)
}

async function secondsUntil(
  what: string,
  since: number,
  isThere: () => boolean | Promise<boolean>,
): Promise<number> {
  await until(what, isThere, { withinMs: 240_000 })
  return (Date.now() - since) / 1_000
}
