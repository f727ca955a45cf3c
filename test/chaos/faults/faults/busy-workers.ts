/**
 * Faults of workers that are busy: events wait during a pause, so that the workers claim many at once
 * after it, and short handlers share transactions.
 */
import { until } from '../../../support/until.ts'
import { countRows } from '../count-rows.ts'
import type { Fault } from '../fault.ts'
import type { World } from '../world.ts'
import { chooseOperator, chooseWorker } from './choose-member.ts'
import { withTraffic } from './with-traffic.ts'

/** Enough for a worker to claim many at once after the pause. */
const backlog = 60

export const killClaimedAhead = killBusy(
  'claimed-ahead',
  'a worker dies while jobs wait that it has claimed before a handler was free for them',
)

export const killSharing = killBusy(
  'sharing',
  'a worker dies between the handlers that share a transaction',
)

export const sharingDisturbed: Fault = {
  name: 'sharing-disturbed',
  describe: 'handlers that share a transaction throw, fail, hang, block, wait, lock and commit',
  kind: 'other',
  holds: ['workers', 'operator', 'database'],
  promise: 'Handlers that disturb the others run alone, and no attempt is spent.',
  async inject(world, { random }) {
    const { workers } = world
    // Jobs of a worker that was killed before are at their second attempt.
    await handleBacklog(world, () => false)
    const marks = workers.map((worker) => worker.mark())
    const disturbed = new Set<string>()
    const again: string[] = []
    for (const worker of workers) await worker.send({ disturbFrom: random.below(100) })
    for (let rounds = 0; disturbed.size < ways && rounds < maxRounds; rounds += 1) {
      await handleBacklog(world, () => false)
      for (const [index, worker] of workers.entries()) {
        const lines = worker.linesSince(marks[index] ?? 0)
        for (const line of lines) {
          const [, way] = /^disturbs: (\w+)$/.exec(line) ?? []
          if (way !== undefined) disturbed.add(way)
          if (/^attempt \d+ of/.test(line)) again.push(line)
        }
      }
    }
    for (const worker of workers) await worker.send({ disturbFrom: null })
    if (disturbed.size < ways) throw new Error(`only disturbed by ${[...disturbed].join(', ')}`)
    if (again.length > 0) throw new Error(`attempts were spent: ${again.join(', ')}`)
    return `disturbed by ${[...disturbed].join(', ')}: all events were handled at their first attempt`
  },
}

/** Each disturbance makes the handler run alone for longer. */
const ways = 3
const maxRounds = 12

function killBusy(point: 'claimed-ahead' | 'sharing', describe: string): Fault {
  return {
    name: `kill-${point}`,
    describe,
    kind: 'kill',
    holds: ['workers', 'operator', 'database'],
    async inject(world, target) {
      const worker = chooseWorker(world, target)
      const mark = worker.mark()
      await worker.send({ die: point })
      const life = { isOver: false }
      const death = worker.replaced('SIGKILL').finally(() => (life.isOver = true))
      // A failure is thrown below.
      death.catch(() => undefined)
      for (let rounds = 0; !life.isOver; rounds += 1) {
        if (rounds === maxRounds) {
          throw new Error(`${worker.name} handled ${rounds} backlogs and did not die ${point}`)
        }
        await handleBacklog(world, () => life.isOver)
      }
      const { oldPid, newPid } = await death
      await worker.logged(new RegExp(`^dying ${point}$`), mark)
      return `${worker.name} died ${point}, pid ${oldPid} became ${newPid}`
    },
  }
}

/** Lets events wait, and then handles them. */
async function handleBacklog(world: World, isOver: () => boolean): Promise<void> {
  const { traffic } = world
  const operator = chooseOperator(world)
  await operator.send({ pause: null })
  traffic.allow(traffic.allowed + backlog)
  const isWaiting = async () => (await countWaiting()) >= backlog / 2
  await withTraffic(world, () => until('a backlog waits', isWaiting, { withinMs: 60_000 }))
  await operator.send({ resume: null })
  const isHandled = async () => isOver() || (await countWaiting()) === 0
  await until('the backlog is handled', isHandled, { withinMs: 60_000 })

  function countWaiting(): Promise<number> {
    return countRows(world, `select from feed_inbox.entry where state = 'received'`, [])
  }
}
