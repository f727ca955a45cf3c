import type { EventDelivery } from '@feed-receiver/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { databaseKinds, useDatabase } from '../../../../test/support/databases.ts'
import type { NewEntry } from './insert-entries.ts'
import { openQueue, type Queue } from '../queue/queue.ts'
import {
  storeInOneStatement,
  storeInTwoStatements,
  type StoreEntriesOptions,
} from './store-entries.ts'

type Store = (deliveries: EventDelivery[]) => Promise<NewEntry[]>

describe.each(databaseKinds)('storing entries on %s', (kind) => {
  const database = useDatabase(kind)
  const errors: unknown[] = []
  const ways = {
    storeInOneStatement: (place: StoreEntriesOptions): Store => {
      const store = storeInOneStatement(place)
      return (deliveries) => store(database(), deliveries)
    },
    storeInTwoStatements: (place: StoreEntriesOptions): Store => {
      const store = storeInTwoStatements(place)
      return (deliveries) => database().tx((tx) => store(tx, deliveries))
    },
  }
  let options: StoreEntriesOptions
  let queue: Queue

  beforeAll(async () => {
    await database().migrate(new URL('../../sql/', import.meta.url), { schema: 'feed_inbox' })
    queue = await openQueue({
      name: 'feed',
      schema: 'feed_inbox_queue',
      boss: database().bossOptions(),
      migrate: true,
      onError: (error) => errors.push(error),
    })
    options = { table: 'feed_inbox.entry', source: 'feed', queue }
  })
  afterAll(() => queue.stop())

  it('writes in one statement the job that pg-boss itself writes', async () => {
    const byUs = await jobOf(ways.storeInOneStatement(options))
    const byBoss = await jobOf(ways.storeInTwoStatements(options))
    expect(Object.keys(byUs).length).toBeGreaterThan(30)
    expect(byUs).toEqual(byBoss)
  })

  it('orders jobs by their subject as pg-boss itself does', async () => {
    const ordered = await openQueue({
      name: 'feed_ordered',
      isOrdered: true,
      schema: 'feed_inbox_queue',
      boss: database().bossOptions(),
      migrate: true,
      onError: (error) => errors.push(error),
    })
    const place = { ...options, queue: ordered }
    const orderOf = async (store: Store) => {
      const [entry] = await store([deliveryOf(makeEvent())])
      const [{ policy, singleton_key: key } = {}] = await jobsOf(entry?.id, 'feed_ordered')
      return { policy, key }
    }
    const byUs = await orderOf(ways.storeInOneStatement(place))
    expect(byUs).toEqual({ policy: 'key_strict_fifo', key: 'northwind-ai/model/northwind-1' })
    expect(await orderOf(ways.storeInTwoStatements(place))).toEqual(byUs)
    for (const makeWay of Object.values(ways)) {
      const now = Date.now()
      const deliveries = Array.from({ length: 6 }, (_, n) => ({
        ...deliveryOf(makeEvent()),
        receivedAt: new Date(now + n),
      }))
      const entries = await makeWay(place)(deliveries)
      const { rows: inTurn } = await database().query(
        `select event_id from feed_inbox_queue.job
         join feed_inbox.entry on entry.id = (data->>'entryId')::bigint
         where name = 'feed_ordered' and entry.id = any($1::bigint[]) order by created_on, job.id`,
        [entries.map(({ id }) => id)],
      )
      expect(inTurn).toEqual(deliveries.map(({ event }) => ({ event_id: event.id })))
    }
    await ordered.stop()
  })

  describe.each(Object.entries(ways))('%s', (_, makeWay) => {
    it('gives the new ones, and stores and queues nothing for the others', async () => {
      const store = makeWay(options)
      const [first, second] = [deliveryOf(makeEvent()), deliveryOf(makeEvent())]
      const [entry] = await store([first])
      expect(entry?.eventId).toBe(first.event.id)
      expect((await store([second, first])).map(({ eventId }) => eventId)).toEqual([
        second.event.id,
      ])
      expect(await store([first, second])).toEqual([])
      expect(await jobsOf(entry?.id)).toHaveLength(1)
    })

    it('stores nothing where the queue is gone', async () => {
      const place = { ...queue, name: 'nowhere' }
      const enqueue: Queue['enqueue'] = async ([entry], tx) => {
        await tx.query(`insert into feed_inbox_queue.nowhere values ($1)`, [entry?.id])
      }
      const store = makeWay({ ...options, queue: { ...place, enqueue } })
      const delivery = deliveryOf(makeEvent())
      await expect(store([delivery])).rejects.toThrow(/null value|does not exist/)
      const { rows } = await database().query('select from feed_inbox.entry where event_id = $1', [
        delivery.event.id,
      ])
      expect(rows).toEqual([])
    })
  })

  it.each(Object.keys(ways))('wakes the workers, by %s', async (way) => {
    let news = 0
    const unlisten = await queue.listen(() => (news += 1))
    const before = news
    await ways[way as keyof typeof ways](options)([deliveryOf(makeEvent())])
    await expect.poll(() => news).toBe(before + 1)
    await unlisten()
    expect(errors).toEqual([])
  })

  async function jobOf(store: Store): Promise<Record<string, unknown>> {
    const [entry] = await store([deliveryOf(makeEvent())])
    const [job] = await jobsOf(entry?.id)
    return comparable(job ?? {})
  }

  async function jobsOf(
    entryId: number | undefined,
    name = 'feed',
  ): Promise<Record<string, unknown>[]> {
    const { rows } = await database().query(
      `select * from feed_inbox_queue.job where name = $2 and data->>'entryId' = $1`,
      [String(entryId), name],
    )
    return rows
  }
})

// Times are compared by how far they are from when the job was made, and ids not at all.
function comparable(job: Record<string, unknown>): Record<string, unknown> {
  const made = job.created_on instanceof Date ? job.created_on.getTime() : Number.NaN
  const entries = Object.entries(job).map(([name, value]) => {
    if (value instanceof Date) return [name, value.getTime() - made]
    return [name, name === 'id' || name === 'data' ? typeof value : value]
  })
  return Object.fromEntries(entries)
}
