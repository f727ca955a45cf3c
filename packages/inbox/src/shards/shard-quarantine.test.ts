import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { useDatabase } from '../../../../test/support/databases.ts'
import { createInbox, shardInbox, type Inbox } from '../index.ts'
import { createChoice } from './choose-shard.ts'

describe('quarantine and pauses of two shards', () => {
  const databases = [useDatabase('postgres', 'inbox'), useDatabase('postgres', 'inbox')] as const
  const previous = { shards: 1, until: '2026-11-01T00:00:00Z' }
  const choice = createChoice(2, previous)
  let parts: Inbox[]
  let inbox: Inbox

  beforeAll(async () => {
    parts = databases.map((database) => createInbox({ database: database() }))
    inbox = shardInbox(parts, { previous })
    await inbox.start()
  })
  afterAll(() => inbox.stop())

  it('list and settle rows by their own ids', async () => {
    for (let row = 0; row < 9; row += 1) await quarantine(deliveryOf(makeEvent()))
    const first = await inbox.quarantined.list({ limit: 5 })
    const second = await inbox.quarantined.list({ limit: 5, after: first.next ?? 0 })
    const rows = [...first.quarantined, ...second.quarantined]
    expect(new Set(rows.map(({ id }) => id)).size).toBe(9)
    expect(new Set(rows.map(({ id }) => id % 1_000))).toEqual(new Set([0, 1]))
    expect(second.next).toBeNull()
    const id = rows[0]?.id ?? 0
    expect(await inbox.quarantined.get(id)).toMatchObject({ id, state: 'open' })
    await inbox.quarantined.discard(id, { by: 'ada' })
    const again = inbox.quarantined.discard(id)
    await expect(again).rejects.toMatchObject({ code: 'already_settled' })
    const { operations } = await inbox.operations()
    expect(operations).toMatchObject([{ kind: 'discard', by: 'ada', quarantineId: id }])
    for (const unknown of [4_711_000, 4_711_999]) {
      expect(await inbox.quarantined.get(unknown)).toBeNull()
      const settling = inbox.quarantined.discard(unknown)
      await expect(settling).rejects.toMatchObject({ code: 'not_quarantined' })
    }
  })

  it('release an event into its shard, and detect a duplicate', async () => {
    // Events of that time belong to the first shard, by their ids.
    const old = Array.from({ length: 8 }, () =>
      deliveryOf(makeEvent({ created_at: '2026-10-31T00:00:00Z' })),
    )
    for (const delivery of old) {
      await quarantine(delivery)
      const { quarantined } = await inbox.quarantined.list({ state: 'open', limit: 500 })
      const row = quarantined.find(({ eventId }) => eventId === delivery.event.id)
      expect(await inbox.quarantined.release(row?.id ?? 0)).toBe('stored')
      expect(await inbox.accept(delivery)).toBe('duplicate')
      expect(choice.ofEvent(delivery.event)).toBe(0)
      expect(await parts[0]?.entries.get(delivery.event.id)).not.toBeNull()
      expect(await parts[1]?.entries.get(delivery.event.id)).toBeNull()
    }
  })

  it('pause and resume every shard', async () => {
    expect(await inbox.pause({ reason: 'maintenance', by: 'ada' })).toMatchObject([
      { type: null, by: 'ada' },
    ])
    for (const part of parts) expect(await part.pauses()).toHaveLength(1)
    const again = inbox.pause({ reason: 'twice' })
    await expect(again).rejects.toMatchObject({ code: 'already_paused' })
    expect(await inbox.pause({ types: ['outage_started'], reason: 'routing' })).toHaveLength(1)
    expect((await inbox.health()).pauses).toHaveLength(2)
    expect(await inbox.resume()).toMatchObject({
      resumed: [{ type: null }],
      stillPaused: [{ type: 'outage_started' }],
    })
    await expect(inbox.resume()).rejects.toMatchObject({ code: 'not_paused' })
    await inbox.resume({ types: ['outage_started'] })
    expect(await inbox.pauses()).toEqual([])
  })

  it('complete a pause that is only partly in force, and end it everywhere', async () => {
    await parts[1]?.pause({ reason: 'only here' })
    expect(await inbox.pauses()).toMatchObject([{ reason: 'only here' }])
    await inbox.pause({ reason: 'everywhere' })
    for (const part of parts) expect(await part.pauses()).toHaveLength(1)
    await parts[0]?.resume()
    expect(await inbox.resume()).toMatchObject({ stillPaused: [] })
  })

  it('undo a pause that one shard rejects', async () => {
    await databases[1]().query('alter table feed_inbox.pause add constraint no check (false)')
    await expect(inbox.pause({ reason: 'all or none' })).rejects.toMatchObject({
      code: 'shard_failed',
      message: expect.stringContaining('Shard 2 of 2'),
    })
    expect(await inbox.pauses()).toEqual([])
    await databases[1]().query('alter table feed_inbox.pause drop constraint no')
  })

  it('pause a type that only one shard has stored, and reject an unknown one', async () => {
    const delivery = deliveryOf(makeEvent({ type: 'seen_once' }))
    await inbox.accept(delivery)
    await inbox.pause({ types: ['seen_once'], reason: 'new' })
    for (const part of parts) expect(await part.pauses()).toHaveLength(1)
    await inbox.resume({ types: ['seen_once'] })
    const unknown = inbox.pause({ types: ['never_seen'], reason: 'typo' })
    await expect(unknown).rejects.toMatchObject({ code: 'unknown_type' })
  })

  async function quarantine({ event, ...delivery }: ReturnType<typeof deliveryOf>) {
    await inbox.quarantine({ ...delivery, eventId: event.id, detail: 'then' }, 'not_an_event')
  }
})
