import { until } from '../../../support/until.ts'
import { countRows } from '../count-rows.ts'
import type { Fault } from '../fault.ts'
import { chooseOperator, chooseWorker } from './choose-member.ts'
import { withTraffic } from './with-traffic.ts'

/** Enough for a worker to claim many at once after the pause. */
const backlog = 60

export const killClaimedAhead: Fault = {
  name: 'kill-claimed-ahead',
  describe: 'a worker dies while jobs wait that it has claimed before a handler was free for them',
  kind: 'kill',
  holds: ['workers', 'operator', 'database'],
  async inject(world, target) {
    const { traffic } = world
    const operator = chooseOperator(world)
    const worker = chooseWorker(world, target)
    const mark = worker.mark()
    await worker.tell({ die: 'claimed-ahead' })
    const life = { isOver: false }
    const death = worker.replaced('SIGKILL').finally(() => (life.isOver = true))
    // A failure is thrown below.
    death.catch(() => undefined)
    while (!life.isOver) {
      await operator.tell({ pause: null })
      traffic.allow(traffic.allowed + backlog)
      const isWaiting = async () => (await countWaiting()) >= backlog / 2
      await withTraffic(world, () => until('a backlog waits', isWaiting, { withinMs: 60_000 }))
      await operator.tell({ resume: null })
      const isHandled = async () => life.isOver || (await countWaiting()) === 0
      await until('the backlog is handled', isHandled, { withinMs: 60_000 })
    }
    const { oldPid, newPid } = await death
    await worker.logged(/^dying claimed-ahead$/, mark)
    return `${worker.name} died with jobs that it had claimed ahead, pid ${oldPid} became ${newPid}`

    function countWaiting(): Promise<number> {
      return countRows(world, `select from feed_inbox.entry where state = 'received'`, [])
    }
  },
}
