import type { FeedEvent } from '@feed-receiver/core'
import { createInbox, type Inbox, type InboxHealth } from '@feed-receiver/inbox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deliveryOf } from '../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../test/contract/harness.ts'
import { useDatabase } from '../../../test/support/databases.ts'
import { createChoice } from './choose-shard.ts'
import { shardInbox, type ShardedInbox } from './index.ts'

const choice = createChoice(2)
const hourMs = 3_600_000

describe('pages of the pull API over two shards', () => {
  const databases = [useDatabase('postgres', 'inbox'), useDatabase('postgres', 'inbox')] as const
  let parts: Inbox[]
  let inbox: ShardedInbox

  beforeAll(async () => {
    parts = databases.map((database, index) =>
      createInbox({ database: database(), instance: String(index + 1) }),
    )
    inbox = shardInbox(parts)
    await inbox.start()
  })
  afterAll(() => inbox.stop())

  it('are distributed, with the cursor in the first shard', async () => {
    const stream = 'shared'
    const events = pulled(20)
    const lease = { holder: 'one', leaseMs: 60_000 }
    expect(await inbox.streams.take(stream, lease)).toMatchObject({ cursor: null })
    const page = { stream, holder: 'one', cursor: 'after-20' }
    expect(await inbox.acceptPage(events, page)).toEqual({ stored: 20, revised: 0, quarantined: 0 })
    for (const event of events) {
      const [here] = [parts[choice.ofEvent(event)]]
      expect(await here?.entries.get(event.id)).toMatchObject({ eventId: event.id, via: 'pull' })
    }
    expect(await inbox.acceptPage(events, page)).toEqual({ stored: 0, revised: 0, quarantined: 0 })
    const revised = events.map((event) => ({
      ...event,
      data: { ...event.data, title: 'Corrected' },
      pull: { correctedAt: '2026-11-05T00:00:00Z' },
    }))
    expect(await inbox.acceptPage(revised, page)).toEqual({
      stored: 0,
      revised: 20,
      quarantined: 0,
    })
    expect(await inbox.streams.list()).toMatchObject([{ stream, cursor: 'after-20' }])
    const event = events[0]
    expect(event && (await inbox.accept(push(event)))).toBe('duplicate')
  })

  it('move no cursor if the lease is lost or a shard fails', async () => {
    const stream = 'contested'
    await inbox.streams.take(stream, { holder: 'one', leaseMs: 1 })
    await expect
      .poll(() => inbox.streams.take(stream, { holder: 'two', leaseMs: 60_000 }))
      .not.toBeNull()
    const events = pulled(10)
    const late = inbox.acceptPage(events, { stream, holder: 'one', cursor: 'late' })
    await expect(late).rejects.toMatchObject({ code: 'lease_lost' })
    const cursors = async () =>
      (await inbox.streams.list()).filter((row) => row.stream === stream).map((row) => row.cursor)
    expect(await cursors()).toEqual([null])

    await parts[1]?.stop()
    const cut = inbox.acceptPage(events, { stream, holder: 'two', cursor: 'cut' })
    await expect(cut).rejects.toMatchObject({ code: 'not_running' })
    expect(await cursors()).toEqual([null])
    await parts[1]?.start()
    await inbox.acceptPage(events, { stream, holder: 'two', cursor: 'whole' })
    expect(await cursors()).toEqual(['whole'])
    for (const { id } of events) expect((await whereIs(id)).length).toBe(1)
  })

  it('show a new test delivery to the lease holder, whatever its shard', async () => {
    const seen = new Set<number | null>()
    for (let tests = 0; tests < 6; tests += 1) {
      await inbox.accept(deliveryOf(makeEvent({ type: 'destination_test' })))
      const taken = await inbox.streams.take('tests', { holder: 'one', leaseMs: 60_000 })
      seen.add(taken?.latestTestId ?? null)
    }
    expect(seen.size).toBe(6)
    expect(await inbox.streams.take('tests', { holder: 'two', leaseMs: 1 })).toBeNull()
  })

  it('are missed only in the first shard once nobody reads them any more', async () => {
    const stream = 'silent'
    await inbox.acceptPage(pulled(20), { stream, cursor: 'new' })
    for (const database of databases) {
      await database().query(
        `update feed_inbox.poll_stream set started_at = started_at - interval '2 hours',
           polled_at = polled_at - interval '2 hours'`,
      )
    }
    const silent = ({ warnings }: InboxHealth) =>
      warnings.filter(({ code, message }) => code === 'pull_silent' && message.includes(stream))
    expect(silent(await inbox.health())).toMatchObject([
      { message: expect.stringMatching(/^Shard 1 of 2: /) },
    ])
    const inEach = async () =>
      (await Promise.all(parts.map((part) => part.health()))).map((one) => silent(one).length)
    expect(await inEach()).toEqual([1, 0])

    // As a process of an earlier version leaves it.
    await databases[1]().query(`update feed_inbox.poll_stream set lease_holder = null`)
    expect(await inEach()).toEqual([1, 1])
    await inbox.stop()
    await inbox.start()
    expect(await inEach()).toEqual([1, 0])
  })

  it('have a lost cursor in the first shard', async () => {
    const stream = 'lost'
    await inbox.acceptPage(pulled(10), { stream, cursor: 'new', gapCode: 'invalid_request' })
    expect(await parts[0]?.gaps.streams()).toMatchObject([{ stream, code: 'invalid_request' }])
    expect(await parts[1]?.gaps.streams()).toEqual([])
  })

  async function whereIs(id: string): Promise<number[]> {
    const found = await Promise.all(parts.map((part) => part.entries.get(id)))
    return found.flatMap((entry, index) => (entry ? [index] : []))
  }
})

describe('gaps of two shards', () => {
  const database = useDatabase('postgres')

  it('find events that push missed in any shard since the latest push to any', async () => {
    const parts = ['one', 'two'].map((schema) =>
      createInbox({ database: database(), schema, instance: schema }),
    )
    await using inbox = shardInbox(parts)
    await inbox.start()
    const stream = 'gaps'
    const startedAt = new Date(Date.now() - 10 * hourMs)
    await inbox.streams.take(stream, { holder: 'one', leaseMs: 60_000, at: startedAt })
    const events = pulled(12, { created_at: new Date(Date.now() - 6 * hourMs).toISOString() })
    const at = new Date(Date.now() - 5 * hourMs)
    const expects = () => true
    await inbox.acceptPage(events, { stream, holder: 'one', cursor: '1', at, expects })
    const { missed } = await inbox.gaps.count()
    expect(missed).toEqual({ count: 12, isExact: true })
    expect((await inbox.gaps.count()).probablePause).toMatchObject({
      missed: { count: 12, isExact: true },
    })

    // A push to one shard shows for the other, too, that the feed is not paused.
    const [event] = pulled(1)
    if (event) await inbox.accept(push(event))
    expect((await inbox.gaps.count()).probablePause).toBeNull()
    expect((await inbox.health()).gaps).toMatchObject({
      missed: { count: 12 },
      probablePause: null,
    })
  })
})

describe('pages over ordered shards', () => {
  const database = useDatabase('postgres')

  it('keep an event in its shard if a correction names another subject, and quarantine odd ids', async () => {
    const parts = ['one', 'two', 'three', 'four'].map((schema) =>
      createInbox({ database: database(), schema, instance: schema, ordered: 'subject' }),
    )
    await using inbox = shardInbox(parts)
    await inbox.start()
    const [event] = pulled(1)
    if (!event) throw new Error('no event')
    await inbox.acceptPage([event], { stream: 'ordered' })
    for (const key of ['a', 'b', 'c', 'd', 'e']) {
      const subject = { type: 'model', key }
      const pull = { correctedAt: `2026-11-0${'abcde'.indexOf(key) + 3}T00:00:00Z` }
      const corrected = { ...event, data: { ...event.data, subject }, pull }
      expect(await inbox.acceptPage([corrected], { stream: 'ordered' })).toMatchObject({
        stored: 0,
      })
    }
    const counts = await Promise.all(parts.map(({ entries }) => entries.count()))
    expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(1)
    const odd = pulled(1, { id: 'evt_\u0000' })
    expect(await inbox.acceptPage([...odd, event], { stream: 'ordered' })).toMatchObject({
      quarantined: 1,
    })
  }, 60_000)

  it('are not taken for those of other shards after corrections of their subjects', async () => {
    const warnings: unknown[] = []
    const parts = ['five', 'six'].map((schema) =>
      createInbox({ database: database(), schema, instance: schema, ordered: 'subject' }),
    )
    await using inbox = shardInbox(parts, { onError: (error) => warnings.push(error) })
    await inbox.start()
    const about = (event: FeedEvent, key: string): FeedEvent => ({
      ...event,
      data: { ...event.data, subject: { type: 'model', key } },
    })
    const events = pulled(20).map((event) => about(event, 'first'))
    await inbox.acceptPage(events, { stream: 'ordered' })
    const corrected = events.map((event, index) => ({
      ...about(event, `other ${index}`),
      pull: { correctedAt: '2026-11-05T00:00:00Z' },
    }))
    const page = await inbox.acceptPage(corrected, { stream: 'ordered' })
    expect(page).toMatchObject({ revised: 20 })
    await inbox.stop()
    await inbox.start()
    expect(warnings).toEqual([])
  }, 60_000)
})

function pulled(number: number, overrides: object = {}): FeedEvent[] {
  return Array.from({ length: number }, () => ({
    ...deliveryOf(makeEvent(overrides)).event,
    pull: {},
  }))
}

function push({ pull: _pull, ...event }: FeedEvent) {
  return deliveryOf(event)
}
