import type { FeedEvent } from '@feed-receiver/core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../../test/support/databases.ts'
import { createInbox, type Inbox } from '../index.ts'

describeOnEach('the quarantine on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  let inbox: Inbox

  beforeAll(async () => {
    inbox = createInbox({ database: database() })
    await inbox.start()
  })
  afterAll(() => inbox.stop())

  it('is listed by state and reason, latest first, with pages', embedded, async () => {
    for (const eventId of ['a', 'b', 'c']) {
      await inbox.quarantine(unreadable({ eventId, body: bytes(eventId) }), 'not_json')
    }
    await inbox.quarantine(unreadable({ eventId: 'd' }), 'unknown_schema_version')
    const first = await inbox.quarantined.list({ reason: 'not_json', state: 'open', limit: 2 })
    expect(first.quarantined.map(({ eventId }) => eventId)).toEqual(['c', 'b'])
    const second = await inbox.quarantined.list({ reason: 'not_json', after: first.next ?? 0 })
    expect(second.quarantined.map(({ eventId }) => eventId)).toEqual(['a'])
    expect(second.next).toBeNull()
    expect((await inbox.quarantined.list({ state: 'released' })).quarantined).toEqual([])
  })

  it('shows the signed delivery and the reason', async () => {
    const delivery = unreadable({ eventId: 'shown', body: bytes('"shown"') })
    await inbox.quarantine(delivery, 'not_an_event')
    await inbox.quarantine(delivery, 'not_an_event')
    const details = await inbox.quarantined.get(await idOf('shown'))
    expect(JSON.parse(JSON.stringify(details))).toEqual({
      id: expect.any(Number),
      unreadable: 'The body is not a JSON object.',
      reason: 'not_an_event',
      state: 'open',
      eventId: 'shown',
      detail: 'not readable earlier',
      seenCount: 2,
      firstSeenAt: delivery.receivedAt.toISOString(),
      lastSeenAt: delivery.receivedAt.toISOString(),
      resolvedAt: null,
      resolvedBy: null,
      bodyBase64: Buffer.from('"shown"').toString('base64'),
      sha256: delivery.sha256,
      headers: { 'content-type': 'application/json' },
      signedBy: 'abcdef012345',
      signedAt: delivery.signedAt.toISOString(),
    })
    expect(await inbox.quarantined.get(4_711)).toBeNull()
  })

  it('releases once what has become readable, with a job', embedded, async () => {
    const { event, ...delivery } = deliveryOf(makeEvent())
    await inbox.quarantine({ ...delivery, eventId: event.id, detail: 'then' }, 'not_an_event')
    const id = await idOf(event.id)
    const results = await Promise.allSettled([1, 2].map(() => release(id)))
    const errors = results.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    expect(results).toContainEqual({ status: 'fulfilled', value: 'stored' })
    expect(errors).toEqual([expect.objectContaining({ code: 'already_resolved' })])
    const row = await inbox.quarantined.get(id)
    expect(row).toMatchObject({ state: 'released', resolvedBy: 'ops' })
    expect(Date.parse(row?.resolvedAt ?? '')).not.toBeNaN()
    expect(await inbox.entries.get(event.id)).toMatchObject({
      receivedAt: delivery.receivedAt.toISOString(),
      bodyBase64: Buffer.from(delivery.body).toString('base64'),
      signedBy: delivery.signedBy,
      notes: [],
      job: { state: 'waiting' },
    })
  })

  it('releases an event that is stored by now as a duplicate', async () => {
    const { event, ...delivery } = deliveryOf(makeEvent())
    await inbox.quarantine({ ...delivery, eventId: event.id, detail: 'then' }, 'not_an_event')
    await inbox.accept(deliveryOf(event))
    expect(await release(await idOf(event.id))).toBe('duplicate')
  })

  it('keeps a row that is still unreadable, and says why', async () => {
    await inbox.quarantine(unreadable({ eventId: 'still', body: bytes('{}') }), 'not_an_event')
    const id = await idOf('still')
    await expect(release(id)).rejects.toMatchObject({
      code: 'still_unreadable',
      message: expect.stringContaining('schema_version: expected a string'),
    })
    expect(await inbox.quarantined.get(id)).toMatchObject({ state: 'open' })
  })

  it('releases a pulled event as pulled, once the database accepts it', embedded, async () => {
    const event = { ...makeEvent(), pull: { detectedVia: 'api' } } as FeedEvent
    const at = new Date('2026-11-03T00:00:00Z')
    await database().query(
      `create function reject_one() returns trigger language plpgsql as $$ begin
         if new.event_id = '${event.id}' then raise sqlstate '22000'; end if;
         return new;
       end $$`,
    )
    await database().query(
      `create trigger rejects before insert on feed_inbox.entry
       for each row execute function reject_one()`,
    )
    await inbox.acceptPage([event], { stream: 'events', at })
    await database().query('drop trigger rejects on feed_inbox.entry')
    const [row] = (await inbox.quarantined.list({ reason: 'not_an_event', limit: 1 })).quarantined
    expect(row).toMatchObject({ state: 'open', detail: 'The database rejects it.' })
    expect(await release(row?.id ?? 0)).toBe('stored')
    expect(await inbox.entries.get(event.id)).toMatchObject({
      event,
      via: 'pull',
      bodyBase64: null,
      pushCount: 0,
      receivedAt: at.toISOString(),
    })
    expect((await inbox.secrets()).map(({ fingerprint }) => fingerprint)).not.toContain('(pull)')
  })

  it(
    'does not change a stored event when it releases an older version of it',
    embedded,
    async () => {
      const event = { ...makeEvent(), pull: { detectedVia: 'api' } } as FeedEvent
      const body = Buffer.from(
        JSON.stringify({ ...event, data: { ...event.data, title: 'Older' } }),
      )
      await database().query(
        `insert into feed_inbox.quarantine (source, reason, body, sha256, signed_by, signed_at,
         first_seen_at, last_seen_at)
       values ('feed', 'not_an_event', $1, 'older', '(pull)', now(), now(), now())`,
        [body],
      )
      await inbox.acceptPage([event], { stream: 'events' })
      const [row] = (await inbox.quarantined.list({ limit: 1 })).quarantined
      expect(await release(row?.id ?? 0)).toBe('duplicate')
      expect(await inbox.entries.get(event.id)).toMatchObject({ event, revision: 1 })
    },
  )

  it('says that an unreadable item of pull is never released', async () => {
    const unreadableItem = { value: { id: 'evt_half' }, detail: 'sourceUrl: expected text' }
    await inbox.acceptPage([], { stream: 'events', unreadable: [unreadableItem] })
    const [row] = (await inbox.quarantined.list({ limit: 1 })).quarantined
    await expect(release(row?.id ?? 0)).rejects.toMatchObject({
      code: 'still_unreadable',
      message: expect.stringContaining('an item of the pull API that could not be read is never'),
    })
  })

  it('stores an event with a mismatched header under the signed id', async () => {
    const delivery = { ...deliveryOf(makeEvent()), doubt: 'id_mismatch' as const }
    expect(await inbox.accept(delivery)).toEqual({ quarantined: 'id_mismatch' })
    expect(await release(await idOf(delivery.event.id))).toBe('stored')
    expect(await inbox.entries.get(delivery.event.id)).toMatchObject({ event: delivery.event })
  })

  it('never releases a conflict with a stored event', async () => {
    const event = makeEvent()
    await inbox.accept(deliveryOf(event))
    expect(await inbox.accept(deliveryOf({ ...event, type: 'other' }))).toEqual({
      quarantined: 'id_conflict',
    })
    await expect(release(await idOf(event.id))).rejects.toMatchObject({ code: 'id_conflict' })

    const { event: again, ...doubted } = deliveryOf(makeEvent())
    await inbox.quarantine({ ...doubted, eventId: again.id, detail: 'then' }, 'id_mismatch')
    await inbox.accept(deliveryOf({ ...again, type: 'other' }))
    const id = await idOf(again.id)
    await expect(release(id)).rejects.toMatchObject({ code: 'id_conflict' })
    const { quarantined } = await inbox.quarantined.list({ reason: 'id_conflict' })
    expect(quarantined.map(({ eventId }) => eventId)).toEqual([event.id])
    expect(await inbox.quarantined.get(id)).toMatchObject({ state: 'open' })
  })

  it('discards a row once, and records the person', async () => {
    await inbox.quarantine(unreadable({ eventId: 'gone', body: bytes('gone') }), 'not_json')
    const id = await idOf('gone')
    await inbox.quarantined.discard(id, { by: 'nul \0' })
    expect(await inbox.quarantined.get(id)).toMatchObject({
      state: 'discarded',
      resolvedBy: 'nul \ufffd',
    })
    await expect(inbox.quarantined.discard(id)).rejects.toThrow('was already discarded')
    await expect(release(id)).rejects.toMatchObject({ code: 'already_resolved' })
    await expect(release(4_711)).rejects.toMatchObject({ code: 'not_quarantined' })
  })

  it('discards what matches a filter in one operation', embedded, async () => {
    const bulk = createInbox({ database: database(), source: 'bulk' })
    await bulk.start()
    for (const eventId of ['bulk-1', 'bulk-2']) {
      await bulk.quarantine(unreadable({ eventId, body: bytes(eventId) }), 'not_an_event')
    }
    await bulk.quarantine(unreadable({ eventId: 'bulk-3', body: bytes('3') }), 'id_mismatch')
    const filter = { reason: 'not_an_event' } as const
    expect(await bulk.quarantined.discard({ filter }, { dryRun: true })).toBe(2)
    const early = { ...filter, until: '2020-01-01' }
    expect(await bulk.quarantined.discard({ filter: early })).toBe(0)
    expect(await bulk.quarantined.discard({ filter }, { by: 'ada' })).toBe(2)
    expect(await bulk.quarantined.discard({ filter })).toBe(0)
    const { quarantined } = await bulk.quarantined.list(filter)
    expect(quarantined.map(({ state, resolvedBy }) => [state, resolvedBy])).toEqual([
      ['discarded', 'ada'],
      ['discarded', 'ada'],
    ])
    const kept = await bulk.quarantined.list({ reason: 'id_mismatch', state: 'open' })
    expect(kept.quarantined).toHaveLength(1)
    expect((await bulk.operations({ limit: 1 })).operations).toMatchObject([
      { kind: 'discard', by: 'ada', detail: '2 in quarantine, not_an_event' },
    ])
    await bulk.stop()
  })

  function release(id: number) {
    return inbox.quarantined.release(id, { by: 'ops' })
  }

  async function idOf(eventId: string): Promise<number> {
    const { quarantined } = await inbox.quarantined.list()
    return quarantined.find((row) => row.eventId === eventId)?.id ?? 0
  }
})

function unreadable({ eventId, body = bytes('{"') }: { eventId: string; body?: Uint8Array }) {
  const { event: _, ...delivery } = deliveryOf({}, body)
  return { ...delivery, eventId, detail: 'not readable earlier' }
}

function bytes(text: string): Uint8Array {
  return Buffer.from(text)
}
