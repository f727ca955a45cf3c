import { until } from '../../../support/until.ts'
import type { Fault } from '../fault.ts'
import { chooseWorker } from './choose-member.ts'
import { withTraffic } from './with-traffic.ts'

const shorten = `update feed_inbox.job set expire_seconds = 1
  where name = 'feed' and state = 'active' and data ->> 'entryId' =
    (select id::text from feed_inbox.entry where event_id = $1)
  returning id`

export const handlerExpires: Fault = {
  name: 'handler-expires',
  describe: 'a job expires while its handler runs, and runs again concurrently',
  kind: 'other',
  holds: ['workers', 'database'],
  async inject(world, target) {
    const worker = chooseWorker(world, target)
    const marks = world.workers.map((one) => one.mark())
    const mark = worker.mark()
    await worker.send({ linger: true })
    const line = await withTraffic(world, () => worker.logged(/^lingering over /, mark))
    const id = line.slice('lingering over '.length)
    try {
      const jobs = await world.sql(shorten, [id])
      if (jobs.length !== 1) throw new Error(`the job of ${id} was not active`)
      const isDone = () => isEntryDone(world.sql, id)
      await until(`another attempt at ${id} is done`, isDone, { withinMs: 60_000 })
    } finally {
      await worker.send({ linger: false })
    }
    await worker.logged(new RegExp(`^lingered over ${id}$`), mark)
    const again = new RegExp(`^attempt \\d+ of ${id}$`)
    await Promise.any(
      world.workers.map((one, index) => one.logged(again, marks[index] ?? 0, 5_000)),
    )
    return `another attempt at ${id} was done while the first one was still in progress`
  },
}

async function isEntryDone(
  sql: <Row>(text: string, values?: unknown[]) => Promise<Row[]>,
  id: string,
): Promise<boolean> {
  const text = `select from feed_inbox.entry where event_id = $1 and state = 'done'`
  return (await sql(text, [id])).length === 1
}
