import { parseEvent } from '@feed-receiver/core/internal'
import { type DeliveryInbox, type EventDelivery } from '@feed-receiver/core'
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { bodyVectors } from './vectors/read-vectors.ts'
import { makeEvent } from './harness.ts'

/** Reads the contents of an inbox. */
export interface InboxView {
  inbox: DeliveryInbox
  /** The bytes stored for an event. */
  bytesOf(eventId: string): Promise<Uint8Array | undefined>
  /** The reasons of quarantined deliveries of an event. */
  quarantineOf(eventId: string): Promise<string[]>
}

/** The contract of every inbox, in memory or in a database. */
export function deliveryInboxCases(view: () => InboxView): void {
  it('stores an event once with its exact bytes [R14]', async () => {
    const { inbox, bytesOf } = view()
    const delivery = deliveryOf(makeEvent())
    expect(await inbox.accept(delivery)).toBe('stored')
    expect(await inbox.accept(delivery)).toBe('duplicate')
    expect(await bytesOf(delivery.event.id)).toEqual(Buffer.from(delivery.body))
  })

  it('stores one of fifty concurrent deliveries [R170]', async () => {
    const { inbox } = view()
    const delivery = deliveryOf(makeEvent())
    const results = await Promise.all(Array.from({ length: 50 }, () => inbox.accept(delivery)))
    expect(results.filter((result) => result === 'stored')).toHaveLength(1)
    expect(results.filter((result) => result === 'duplicate')).toHaveLength(49)
  })

  it('returns each of many concurrent results to its own caller', async () => {
    const { inbox, bytesOf } = view()
    const deliveries = Array.from({ length: 250 }, () => deliveryOf(makeEvent()))
    const accept = (delivery: EventDelivery) => inbox.accept(delivery)
    const firsts = Promise.all(deliveries.map(accept))
    const seconds = Promise.all(deliveries.toReversed().map(accept))
    // The database decides which of the two is first.
    const others = (await seconds).toReversed()
    for (const [position, first] of (await firsts).entries()) {
      expect([first, others[position]].toSorted()).toEqual(['duplicate', 'stored'])
    }
    for (const { event, body } of deliveries.slice(0, 5)) {
      expect(await bytesOf(event.id)).toEqual(Buffer.from(body))
    }
  })

  it('quarantines the same id with other bytes, in sequence and concurrently', async () => {
    const { inbox, bytesOf, quarantineOf } = view()
    const event = makeEvent()
    const first = deliveryOf(event)
    const other = deliveryOf({ ...event, type: 'model_removed' })
    expect(await inbox.accept(first)).toBe('stored')
    expect(await inbox.accept(other)).toEqual({ quarantined: 'id_conflict' })
    expect(await inbox.accept(other)).toEqual({ quarantined: 'id_conflict' })
    expect(await bytesOf(event.id)).toEqual(Buffer.from(first.body))
    expect(await quarantineOf(event.id)).toEqual(['id_conflict'])

    const twin = makeEvent()
    const results = await Promise.all([
      inbox.accept(deliveryOf(twin)),
      inbox.accept(deliveryOf({ ...twin, type: 'model_removed' })),
    ])
    expect(results).toHaveLength(2)
    expect(results).toEqual(expect.arrayContaining(['stored', { quarantined: 'id_conflict' }]))
  })

  it('quarantines a delivery with a doubtful id unless it is a duplicate', async () => {
    const { inbox, bytesOf, quarantineOf } = view()
    const delivery = deliveryOf(makeEvent())
    const doubtful: EventDelivery = { ...delivery, doubt: 'id_mismatch' }
    expect(await inbox.accept(doubtful)).toEqual({ quarantined: 'id_mismatch' })
    expect(await bytesOf(delivery.event.id)).toBeUndefined()
    expect(await quarantineOf(delivery.event.id)).toEqual(['id_mismatch'])
    expect(await inbox.accept(delivery)).toBe('stored')
    expect(await inbox.accept(doubtful)).toBe('duplicate')
  })

  it('quarantines an unreadable body, and the same bytes only once', async () => {
    const { inbox, quarantineOf } = view()
    const { event, ...delivery } = deliveryOf(makeEvent())
    const unreadable = { ...delivery, detail: 'data: expected an object', eventId: event.id }
    await inbox.quarantine(unreadable, 'not_an_event')
    await inbox.quarantine(unreadable, 'not_an_event')
    await inbox.quarantine({ ...unreadable, detail: 'nul: \0', eventId: null }, 'not_json')
    expect(await quarantineOf(event.id)).toEqual(['not_an_event'])
  })

  const readable = bodyVectors().filter(({ outcome }) => outcome === 'stored')
  it.each(readable)('stores any valid event: $says [R76a]', async ({ body }) => {
    const { inbox, bytesOf } = view()
    const parsed = parseEvent(body)
    if ('problem' in parsed) throw new Error(parsed.detail)
    const delivery = deliveryOf(parsed.event, body)
    expect(await inbox.accept(delivery)).toBe('stored')
    expect(await inbox.accept(delivery)).toBe('duplicate')
    expect(await bytesOf(parsed.event.id)).toEqual(body)
  })

  it('stores events with the earliest and latest timestamps', async () => {
    const { inbox } = view()
    for (const created_at of ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-23:59']) {
      expect(await inbox.accept(deliveryOf(makeEvent({ created_at })))).toBe('stored')
    }
  })
}

/** An authentic delivery of an event, as a receiver passes it to an inbox, and its SHA-256. */
export function deliveryOf(event: object, bytes?: Uint8Array): EventDelivery & { sha256: string } {
  const body = bytes ?? Buffer.from(JSON.stringify(event))
  return {
    body,
    sha256: createHash('sha256').update(body).digest('hex'),
    signedAt: new Date(1_793_000_000_000),
    signedBy: 'abcdef012345',
    receivedAt: new Date(),
    headers: { 'content-type': 'application/json' },
    event: event as EventDelivery['event'],
    notes: ['unknown_type', 'extra_members'],
    doubt: null,
  }
}
