import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { databaseKinds, useDatabase } from '../../../../test/support/databases.ts'
import { createInbox, type Inbox } from '../index.ts'

describe.each(databaseKinds)('pruning on %s', (kind) => {
  const database = useDatabase(kind)
  let inbox: Inbox

  beforeAll(async () => {
    inbox = createInbox({ database: database() })
    await inbox.start()
  })
  afterAll(() => inbox.stop())

  it('empties bytes and headers of what ended long ago, and of nothing else', async () => {
    const done = await store('done', 91)
    const skipped = await store('skipped', 91)
    const recent = await store('done', 89)
    const dead = await store('dead', 91)
    const received = await store('received', null)
    await database().query(
      `insert into feed_inbox.effect select id, 'page', '{}' from feed_inbox.entry`,
    )
    expect(await inbox.prune()).toBe(2)
    const { rows: notes } = await database().query('select from feed_inbox.effect')
    expect(notes).toHaveLength(3)
    for (const { event, sha256 } of [done, skipped]) {
      const emptied = { event: null, bodyBase64: null, headers: {}, sha256 }
      expect(await inbox.entries.get(event.id)).toMatchObject(emptied)
    }
    for (const { event, headers } of [recent, dead, received]) {
      expect(await inbox.entries.get(event.id)).toMatchObject({ event, headers })
    }
    expect(await inbox.prune()).toBe(0)
    expect(await inbox.prune({ bytesAfterDays: 88.5 })).toBe(1)
  })

  it('leaves a repeat a duplicate, which brings no bytes back, and a forgery a conflict', async () => {
    const delivery = await store('done', 91)
    expect(await inbox.prune()).toBe(1)
    expect(await inbox.accept(delivery)).toBe('duplicate')
    expect(await inbox.accept(deliveryOf({ ...delivery.event, type: 'x' }))).toEqual({
      quarantined: 'id_conflict',
    })
    expect(await inbox.entries.get(delivery.event.id)).toMatchObject({
      bodyBase64: null,
      headers: {},
      pushCount: 2,
    })
  })

  it('goes on until nothing is left, a batch at a time', async () => {
    await database().query(
      `insert into feed_inbox.entry (source, event_id, state, body, sha256, type, provider, category,
         title, confirmation, created_at, received_at, handled_at)
       select 'feed', 'bulk-' || n, 'done', 'x', 'y', 't', 'p', 'c', 't', 'c', now(), now(),
         now() - interval '100 days'
       from generate_series(1, 2500) n`,
    )
    const pruned = await Promise.all([inbox.prune(), inbox.prune()])
    expect(pruned.reduce((sum, one) => sum + one) + (await inbox.prune())).toBe(2_500)
  })

  it('begins no batch once it is told to stop', async () => {
    await store('done', 91)
    expect(await inbox.prune({ signal: AbortSignal.abort() })).toBe(0)
    expect(await inbox.prune({ signal: new AbortController().signal })).toBe(1)
  })

  it('refuses a number of days that is none', async () => {
    for (const bytesAfterDays of [-1, Number.NaN, 1e9]) {
      await expect(inbox.prune({ bytesAfterDays })).rejects.toThrow('bytesAfterDays: use')
    }
  })

  async function store(state: string, endedDaysAgo: number | null) {
    const delivery = deliveryOf(makeEvent())
    await inbox.accept(delivery)
    await database().query(
      `update feed_inbox.entry
       set state = $2, handled_at = now() - $3::float8 * interval '1 day'
       where event_id = $1`,
      [delivery.event.id, state, endedDaysAgo],
    )
    return delivery
  }
})
