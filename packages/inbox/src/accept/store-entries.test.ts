import type { EventDelivery } from '@feed-receiver/core'
import { PgBoss, type JobInsert } from 'pg-boss'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import {
  describeOnEach,
  isOnCitus,
  embedded,
  useDatabase,
} from '../../../../test/support/databases.ts'
import { tablesIn } from '../entry/tables.ts'
import type { InboxContext } from '../context.ts'
import type { Queue } from '../queue/queue.ts'
import { enqueueEntries } from '../queue/enqueue-entries.ts'
import { openQueue } from '../queue/open-queue.ts'
import { storeInOneStatement, type NewEntry } from './store-entries.ts'
import { migrations } from '../schema/index.ts'

const notByBoss = 'Citus rejects the NOTIFY statement of pg-boss.'

describeOnEach('storing entries on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  const errors: unknown[] = []
  let context: InboxContext
  let queue: Queue
  let nextId = 1_000_000

  beforeAll(async () => {
    await database().migrate(migrations, { schema: 'feed_inbox' })
    queue = await openQueue({
      name: 'feed',
      schema: 'feed_inbox',
      boss: database().bossOptions(),
      priorities: { [makeEvent().type]: 7, constructor: 3 },
      migrate: true,
      onError: (error) => errors.push(error),
    })
    context = { database: database(), tables: tablesIn('feed_inbox'), source: 'feed', queue }
  })
  afterAll(() => queue.stop())

  it('writes the same job as pg-boss, in one statement', async ({ skip }) => {
    skip(isOnCitus(kind), notByBoss)
    const byUs = await jobOf(await storeOne())
    const byBoss = await jobOf(await insertByBoss(queue))
    expect(Object.keys(byUs).length).toBeGreaterThan(30)
    expect(byUs).toEqual(byBoss)
  })

  it('orders jobs by subject as pg-boss does', embedded, async ({ skip }) => {
    skip(isOnCitus(kind), notByBoss)
    const ordered = await openQueue({
      name: 'feed_ordered',
      isOrdered: true,
      schema: 'feed_inbox',
      boss: database().bossOptions(),
      migrate: true,
      onError: (error) => errors.push(error),
    })
    const inOrder = { ...context, queue: ordered }
    const orderOf = async (entryId: number) => {
      const [{ policy, singleton_key: key } = {}] = await jobsOf(entryId, 'feed_ordered')
      return { policy, key }
    }
    const byUs = await orderOf(await storeOne(inOrder))
    expect(byUs).toEqual({ policy: 'key_strict_fifo', key: 'northwind-ai/model/northwind-1' })
    const singletonKey = 'northwind-ai/model/northwind-1'
    expect(await orderOf(await insertByBoss(ordered, { singletonKey }))).toEqual(byUs)

    const now = Date.now()
    const deliveries = Array.from({ length: 6 }, (_, n) => ({
      ...deliveryOf(makeEvent()),
      receivedAt: new Date(now + n),
    }))
    const entries = await store(deliveries, inOrder)
    const inTurn = deliveries.map(({ event }) => event.id)
    expect(await turnsOf(entries)).toEqual(inTurn)
    await database().query(`delete from feed_inbox.job where name = 'feed_ordered'`)
    const ids = entries.map(({ id }) => id)
    await database().tx((tx) => enqueueEntries(tx, inOrder, ids))
    expect(await turnsOf(entries)).toEqual(inTurn)
    await ordered.stop()
  })

  it('returns the new entries, and stores and queues nothing for duplicates', async () => {
    const [first, second] = [deliveryOf(makeEvent()), deliveryOf(makeEvent())]
    const [entry] = await store([first])
    expect(entry?.eventId).toBe(first.event.id)
    expect((await store([second, first])).map(({ eventId }) => eventId)).toEqual([second.event.id])
    expect(await store([first, second])).toEqual([])
    expect(await jobsOf(entry?.id)).toHaveLength(1)
  })

  it('stores nothing if the queue is missing', embedded, async () => {
    const delivery = deliveryOf(makeEvent())
    const storing = store([delivery], { ...context, queue: { ...queue, name: 'nowhere' } })
    await expect(storing).rejects.toThrow(/null value|does not exist/)
    const { rows } = await database().query('select from feed_inbox.entry where event_id = $1', [
      delivery.event.id,
    ])
    expect(rows).toEqual([])
  })

  it('wakes the workers', async () => {
    let news = 0
    const subscription = await queue.listen(() => (news += 1))
    const before = news
    await store([deliveryOf(makeEvent())])
    await expect.poll(() => news).toBe(before + 1)
    await subscription.close()
    expect(errors).toEqual([])
  })

  function store(deliveries: EventDelivery[], at = context): Promise<NewEntry[]> {
    return storeInOneStatement(at)(database(), deliveries)
  }

  async function storeOne(at = context): Promise<number> {
    const [entry] = await store([deliveryOf(makeEvent())], at)
    if (!entry) throw new Error('It is a duplicate.')
    return entry.id
  }

  /** Lets pg-boss create a job for an entry that need not exist. */
  async function insertByBoss({ name, schema }: Queue, options: JobInsert = {}): Promise<number> {
    const entryId = (nextId += 1)
    const { db } = database().bossOptions()
    const boss = new PgBoss({ db, schema, migrate: false, supervise: false, schedule: false })
    await boss.start()
    const type = makeEvent().type
    const group = { id: type, tier: type }
    await boss.insert(name, [{ priority: 7, group, ...options, data: { entryId } }])
    await boss.stop({ graceful: false })
    return entryId
  }

  async function turnsOf(entries: readonly NewEntry[]): Promise<unknown[]> {
    const { rows } = await database().query(
      `select event_id from feed_inbox.job
       join feed_inbox.entry on entry.id = (data->>'entryId')::bigint
       where name = 'feed_ordered' and entry.id = any($1::bigint[]) order by created_on, job.id`,
      [entries.map(({ id }) => id)],
    )
    return rows.map((row) => row['event_id'])
  }

  async function jobOf(entryId: number): Promise<Record<string, unknown>> {
    const [job] = await jobsOf(entryId)
    return comparable(job ?? {})
  }

  async function jobsOf(
    entryId: number | undefined,
    name = 'feed',
  ): Promise<Record<string, unknown>[]> {
    const { rows } = await database().query(
      `select * from feed_inbox.job where name = $2 and data->>'entryId' = $1`,
      [String(entryId), name],
    )
    return rows
  }
})

// Compares times relative to the creation of the job, and ignores ids.
function comparable(job: Record<string, unknown>): Record<string, unknown> {
  const made = job.created_on instanceof Date ? job.created_on.getTime() : Number.NaN
  const entries = Object.entries(job).map(([name, value]) => {
    if (value instanceof Date) return [name, value.getTime() - made]
    return [name, name === 'id' || name === 'data' ? typeof value : value]
  })
  return Object.fromEntries(entries)
}
