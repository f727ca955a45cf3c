import { until } from '../../../support/until.ts'
import { countRows } from '../count-rows.ts'
import type { Fault } from '../fault.ts'
import { patienceMs } from '../patience.ts'
import type { World } from '../world.ts'
import { chooseOperator } from './choose-member.ts'
import { withTraffic } from './with-traffic.ts'

const fewest = 20
const done = `select from feed_inbox.entry where state = 'done'`

export const reprocessKilled: Fault = {
  name: 'reprocess-killed',
  describe:
    'a reprocessing of all handled events is killed in a slice, and continues in the next process',
  kind: 'other',
  holds: ['operator'],
  async inject(world) {
    const { sql } = world
    const operator = chooseOperator(world)
    const isEnough = async () => (await countRows(world, done)) >= fewest
    await withTraffic(world, () =>
      until('some events are handled', isEnough, { withinMs: patienceMs }),
    )
    const [limit] = await sql<{ before: string }>(
      `select to_json(date_trunc('milliseconds', clock_timestamp()))#>>'{}' as before`,
    )
    const { before = '' } = limit ?? {}
    const fewestReprocessed = await countRows(world, `${done} and handled_at < $1`, [before])
    const { oldPid, newPid } = await killInSlice(world, before)
    await operator.send({ reprocessBefore: before })

    const expected = await countRequeued(world, before)
    const reprocesses = `select from reprocessed where at > $1`
    const count = () => countRows(world, reprocesses, [before])
    // Thousands may be handled again while other faults strike, so only a standstill is a failure.
    let seen = await count()
    while (seen < expected) seen = await countMore(count, seen)
    const handlings = await count()
    const distinct = `select distinct event_id from reprocessed where at > $1`
    const events = await countRows(world, distinct, [before])
    if (expected < fewestReprocessed || events !== expected || handlings !== expected) {
      const were = `${events} were, ${handlings} times in all`
      throw new Error(
        `${expected} of at least ${fewestReprocessed} were to be reprocessed: ${were}`,
      )
    }
    return `pid ${oldPid} became ${newPid} in a slice, and ${expected} events were each handled once more`
  },
}

/** Waits for a higher count, and returns it. */
async function countMore(count: () => Promise<number>, last: number): Promise<number> {
  let now = last
  const isMore = async () => (now = await count()) > last
  await until('more of them are handled again', isMore, { withinMs: patienceMs })
  return now
}

/**
 * By the inbox's own record. Transactions that were in progress at the start may have added some.
 */
async function countRequeued({ sql }: World, before: string): Promise<number> {
  const [row] = await sql<{ count: number }>(
    `select coalesce(sum(entry_count), 0)::int as count from feed_inbox.operation
     where kind = 'reprocess' and detail like $1`,
    [`%handledBefore: ${new Date(before).toISOString()}%`],
  )
  return row?.count ?? 0
}

/**
 * Kills the operator while its reprocess waits for a locked entry. The lock is not kept until the next
 * process has started, because faults beside this one change the table, which its start reads.
 */
async function killInSlice(world: World, before: string) {
  const { sql, connect } = world
  const operator = chooseOperator(world)
  const client = await connect()
  try {
    await client.query('begin')
    await client.query(
      `select from feed_inbox.entry where state = 'done' and handled_at < $1
       order by received_at desc, id desc limit 1 for update`,
      [before],
    )
    const replaced = operator.replaced('SIGKILL')
    void operator.send({ reprocessBefore: before }).catch(() => undefined)
    const waits = `select from pg_stat_activity
      where application_name = 'operator' and wait_event_type = 'Lock'`
    const isWaiting = async () => (await sql(waits)).length > 0
    await until('the reprocessing waits', isWaiting, { withinMs: patienceMs })
    operator.signal('SIGKILL')
    await client.query('rollback')
    return await replaced
  } finally {
    await client.end()
  }
}
