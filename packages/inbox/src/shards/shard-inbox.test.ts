import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { deliveryInboxCases, deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { useDatabase } from '../../../../test/support/databases.ts'
import { createInbox, shardInbox, type Inbox } from '../index.ts'
import { settled } from '../testing.ts'
import { createChoice } from './choose-shard.ts'

const count = 3
const choice = createChoice(count)

describe('three shards in two databases', () => {
  const databases = [useDatabase('postgres', 'inbox'), useDatabase('postgres', 'inbox')] as const
  const warnings: unknown[] = []
  const handled: string[] = []
  let parts: Inbox[]
  let inbox: Inbox

  beforeAll(async () => {
    const [one, two] = databases
    const onError = (error: unknown) => warnings.push(error)
    parts = [
      createInbox({ database: one(), onError }),
      createInbox({ database: two(), onError }),
      createInbox({ database: two(), schema: 'more_inbox', onError }),
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
        const entry = await inbox.entries.get(eventId)
        return entry?.bodyBase64 ? Buffer.from(entry.bodyBase64, 'base64') : undefined
      },
      async quarantineOf(eventId) {
        const { quarantined } = await inbox.quarantined.list({ limit: 500 })
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

  it('list all entries page by page, newest first, each once', async () => {
    const deliveries = await store(40)
    // At the same time, in all shards.
    const receivedAt = new Date(Date.now() + 1_000)
    const twins = Array.from({ length: 20 }, () => ({ ...deliveryOf(makeEvent()), receivedAt }))
    for (const twin of twins) await inbox.accept(twin)
    const all = await readAll((page) => inbox.entries.list(page), 7, 'entries')
    expect(all.length).toBe((await inbox.entries.count()).count)
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
    expect(new Set(all.map(({ eventId }) => eventId)).size).toBe(all.length)
    const times = all.map((row) => row.receivedAt)
    expect(times).toEqual(times.toSorted().toReversed())
    const newest = new Set(all.slice(0, 20).map(({ eventId }) => eventId))
    expect(newest).toEqual(new Set(twins.map(({ event }) => event.id)))
    expect(all.map(({ eventId }) => eventId)).toEqual(
      expect.arrayContaining(deliveries.map(({ event }) => event.id)),
    )
    // New events do not shift the pages.
    const first = await inbox.entries.list({ limit: 5 })
    await store(9)
    const second = await inbox.entries.list({ limit: 5, after: first.next ?? 0 })
    expect(second.entries.map(({ id }) => id)).toEqual(all.slice(5, 10).map(({ id }) => id))
  })

  it('filter, count and list filter values', async () => {
    const type = 'shards_only'
    const deliveries = await store(12, { type })
    expect(await inbox.entries.count({ type })).toEqual({ count: 12, isExact: true })
    expect(await inbox.entries.count({ type }, { upTo: 5 })).toEqual({ count: 5, isExact: false })
    expect((await inbox.entries.facets()).types).toContain(type)
    const { entries, next } = await inbox.entries.list({ type, limit: 12 })
    expect(entries.map(({ eventId }) => eventId).toSorted()).toEqual(
      deliveries.map(({ event }) => event.id).toSorted(),
    )
    expect(next).toBeNull()
    const [entry] = entries
    expect(await inbox.entries.get(entry?.eventId ?? '')).toMatchObject({ id: entry?.id, type })
    expect(await inbox.entries.get('evt_nowhere')).toBeNull()
    await expect(inbox.entries.list({ limit: 0 })).rejects.toMatchObject({ code: 'bad_option' })
  })

  it('handle events of every shard, in a drain and at work', async () => {
    const handlers = { '*': ({ id }: { id: string }) => void handled.push(id) }
    const drained = await inbox.drain(handlers)
    expect(drained).toMatchObject({ failed: 0, isEmpty: true })
    expect(drained.handled).toBe(handled.length)
    await inbox.work(handlers)
    await expect(inbox.work(handlers)).rejects.toMatchObject({ code: 'already_working' })
    const deliveries = await store(30)
    await settled(inbox)
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

  it('retry and replay across shards, and report progress', async () => {
    const { count: done } = await inbox.entries.count({ state: 'done' })
    const target = { filter: { state: 'done' as const } }
    expect(await inbox.entries.replay(target, { dryRun: true })).toMatchObject({ replayed: done })
    const told: number[] = []
    const onProgress = (progress: number) => told.push(progress)
    const replayed = await inbox.entries.replay(target, { by: 'ada', onProgress })
    expect(replayed).toMatchObject({ replayed: done, isExact: true, emptied: 0 })
    expect(told).toEqual(told.toSorted((one, other) => one - other))
    expect(told.at(-1)).toBe(done)
    await settled(inbox)
    const ids = handled.slice(0, 9)
    expect(await inbox.entries.retry({ ids }, { dryRun: true })).toBe(0)
    expect(await inbox.entries.replay({ ids })).toMatchObject({ replayed: 9 })
    await settled(inbox)
    const rows = await readAll((page) => inbox.operations(page), 2, 'operations')
    const replays = rows.filter(({ kind, by }) => kind === 'replay' && by === 'ada')
    expect(replays.reduce((sum, row) => sum + row.entryCount, 0)).toBe(done)
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
  })

  it('sum activity, secrets and rejections, and prune', async () => {
    const { count: all } = await inbox.entries.count()
    const activity = await inbox.activity()
    expect(activity.steps.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(all)
    expect(activity).toMatchObject({ isExact: true, failing: { count: 0, isExact: true } })
    expect(await inbox.secrets()).toMatchObject([
      { fingerprint: 'abcdef012345', canBeRemoved: false },
    ])
    inbox.answered({ reason: 'store_failed', status: 503, durationMs: 1, notes: [] })
    await expect
      .poll(() => inbox.refusals())
      .toMatchObject([{ reason: 'store_failed', count: 1, status: 503 }])
    const { count: ended } = await inbox.entries.count({ state: 'done' })
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

async function readAll<Name extends string, Row>(
  read: (page: {
    after?: number
    limit: number
  }) => Promise<{ next: number | null } & Record<Name, Row[]>>,
  limit: number,
  name: Name,
): Promise<Row[]> {
  const rows: Row[] = []
  for (let after: number | undefined; ;) {
    const page = await read({ limit, ...(after !== undefined && { after }) })
    rows.push(...page[name])
    if (page.next === null) return rows
    expect(page[name]).toHaveLength(limit)
    after = page.next
  }
}
