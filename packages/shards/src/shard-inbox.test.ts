import { createInbox, type Inbox } from '@feed-receiver/inbox'
import { untilIdle } from '@feed-receiver/inbox/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { deliveryInboxCases, deliveryOf } from '../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../test/contract/harness.ts'
import { useDatabase } from '../../../test/support/databases.ts'
import { createChoice } from './choose-shard.ts'
import { shardInbox, type ShardedInbox } from './index.ts'

const count = 3
const choice = createChoice(count)

const database = useDatabase('postgres')

describe('three shards in two databases', () => {
  const databases = [useDatabase('postgres', 'inbox'), useDatabase('postgres', 'inbox')] as const
  const warnings: unknown[] = []
  const handled: string[] = []
  let parts: Inbox[]
  let inbox: ShardedInbox

  beforeAll(async () => {
    const [one, two] = databases
    const onError = (error: unknown) => warnings.push(error)
    parts = [
      createInbox({ database: one(), instance: '1', onError }),
      createInbox({ database: two(), instance: '2', onError }),
      createInbox({ database: two(), schema: 'more_inbox', instance: '3', onError }),
    ]
    inbox = shardInbox(parts, { onError })
    await inbox.start()
  }, 60_000)
  afterEach(() => {
    const [warning] = warnings.splice(0)
    if (warning) throw warning
  })
  afterAll(() => inbox.stop())

  describe('as a receiver uses them', () => {
    deliveryInboxCases(() => ({
      inbox,
      async bytesOf(eventId) {
        const found = await Promise.all(parts.map(({ entries }) => entries.get(eventId)))
        const entry = found.find((one) => one !== null)
        return entry?.bodyBase64 ? Buffer.from(entry.bodyBase64, 'base64') : undefined
      },
      async quarantineOf(eventId) {
        const pages = await Promise.all(
          parts.map(({ quarantined }) => quarantined.list({ limit: 500 })),
        )
        const quarantined = pages.flatMap((page) => page.quarantined)
        return quarantined.filter((row) => row.eventId === eventId).map(({ reason }) => reason)
      },
    }))
  })

  it('store each event in its own shard', async () => {
    const deliveries = await store(30)
    expect(new Set(deliveries.map(({ event }) => choice.ofEvent(event)))).toEqual(
      new Set([0, 1, 2]),
    )
    for (const { event } of deliveries) {
      const found = await Promise.all(parts.map((part) => part.entries.get(event.id)))
      const where = found.flatMap((entry, index) => (entry ? [index] : []))
      expect(where).toEqual([choice.ofEvent(event)])
    }
  })

  it('handle events of every shard, in a drain and at work', async () => {
    const handlers = { '*': ({ id }: { id: string }) => void handled.push(id) }
    const drained = await inbox.drain(handlers)
    expect(drained).toMatchObject({ failed: 0, isEmpty: true })
    expect(drained.handled).toBe(handled.length)
    await inbox.work(handlers)
    await expect(inbox.work(handlers)).rejects.toMatchObject({ code: 'already_working' })
    const deliveries = await store(30)
    await Promise.all(parts.map((part) => untilIdle(part)))
    expect(handled).toEqual(expect.arrayContaining(deliveries.map(({ event }) => event.id)))
    expect(new Set(handled).size).toBe(handled.length)
    expect(await inbox.health()).toMatchObject({
      ok: true,
      problems: [],
      database: 'up',
      queue: 'up',
      backlog: { waiting: { count: 0, isExact: true } },
      dead: { count: 0, isExact: true },
    })
  })

  it('count rejected deliveries once, and prune every shard', async () => {
    inbox.answered({ reason: 'store_failed', status: 503, durationMs: 1, notes: [] })
    await expect
      .poll(async () => (await inbox.health()).rejections)
      .toMatchObject([{ reason: 'store_failed', count: 1, status: 503 }])
    const counts = await Promise.all(parts.map(({ entries }) => entries.count({ state: 'done' })))
    const ended = counts.reduce((sum, { count: one }) => sum + one, 0)
    expect(await inbox.prune({ bytesAfterDays: 0 })).toEqual({ emptied: ended, deleted: 0 })
    await expect(inbox.prune({ bytesAfterDays: -1 })).rejects.toMatchObject({ code: 'bad_option' })
  })

  async function store(number: number, overrides: object = {}) {
    const deliveries = Array.from({ length: number }, () => deliveryOf(makeEvent(overrides)))
    const results = await Promise.all(deliveries.map((delivery) => inbox.accept(delivery)))
    expect(new Set(results)).toEqual(new Set(['stored']))
    return deliveries
  }
})

it('leaves no shard open after a stop, even if a start before it waits for another stop', async () => {
  const parts = ['one', 'two'].map((schema) =>
    createInbox({ database: database(), schema, instance: schema }),
  )
  const inbox = shardInbox(parts)
  await inbox.start()
  const calls = [inbox.stop(), inbox.start(), inbox.stop()]
  await calls.at(-1)
  await Promise.all(calls)
  for (const part of [inbox, ...parts]) {
    await expect(part.streams.list()).rejects.toMatchObject({ code: 'not_running' })
  }
})
