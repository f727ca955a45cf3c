import { afterAll, beforeAll, expect, it } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../../test/support/databases.ts'
import { createInbox, type Inbox } from '../index.ts'

describeOnEach('operations on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  let inbox: Inbox

  beforeAll(async () => {
    inbox = createInbox({ database: database() })
    await inbox.start()
  })
  afterAll(() => inbox.stop())

  it('are stored with person and time, and retries for each entry', embedded, async () => {
    const ids = [await storeDead(), await storeDead()]
    expect(await inbox.entries.retry({ ids }, { by: 'ada\0' })).toBe(2)
    await kill(ids)
    expect(await inbox.entries.retry({ ids: ids.slice(0, 1) })).toBe(1)
    expect(await inbox.entries.retry({ ids })).toBe(1)
    const { operations } = await inbox.operations({ eventId: ids[0] })
    expect(operations).toEqual([
      expect.objectContaining({ kind: 'retry', by: null, entryCount: 1, eventId: ids[0] }),
      expect.objectContaining({ kind: 'retry', by: 'ada\ufffd', entryCount: 2, eventId: null }),
    ])
    expect(Date.parse(operations[0]?.at ?? '')).toBeGreaterThan(Date.now() - 60_000)
    expect((await inbox.operations({ eventId: 'nobody' })).operations).toEqual([])
  })

  it('are stored for quarantine, with the released event', embedded, async () => {
    const { delivery, id } = await setAside()
    await inbox.quarantined.release(id, { by: 'grace' })
    const other = await setAside()
    await inbox.quarantined.discard(other.id, { by: 'ada' })
    const first = await inbox.operations({ limit: 1 })
    expect(first.operations).toEqual([
      expect.objectContaining({
        kind: 'discard',
        by: 'ada',
        quarantineId: other.id,
        entryCount: 0,
      }),
    ])
    const second = await inbox.operations({ limit: 1, after: first.next ?? 0 })
    const release = { kind: 'release', by: 'grace', quarantineId: id, eventId: delivery.event.id }
    expect(second.operations).toEqual([expect.objectContaining(release)])
  })

  it('process many dead entries in batches, and stop on request', async () => {
    await database().query(
      `with dead as (
         insert into feed_inbox.entry (source, event_id, state, type, provider, category, title,
           confirmation, created_at, received_at)
         select 'feed', 'many_' || n, 'dead', 'many', 'p', 'c', 't', 'confirmed', now(), now()
         from generate_series(1, 2500) n
         returning id
       )
       insert into feed_inbox.entry_body (entry_id, body) select id, 'x' from dead`,
    )
    const seen: number[] = []
    const stopping = new AbortController()
    const onProgress = (retried: number) => {
      seen.push(retried)
      stopping.abort()
    }
    const filter = { type: 'many' }
    const { signal } = stopping
    expect(await inbox.entries.retry({ filter }, { onProgress, signal })).toBe(1_000)
    const more = (retried: number) => seen.push(retried)
    expect(await inbox.entries.retry({ filter }, { onProgress: more })).toBe(1_500)
    expect(seen).toEqual([1_000, 1_000, 1_500])
  })

  it('retry as many entries as a dry run has counted', async () => {
    await database().query(
      `with dead as (
         insert into feed_inbox.entry (source, event_id, state, type, provider, category, title,
           confirmation, created_at, received_at)
         select 'feed', 'countless_' || n, 'dead', 'countless', 'p', 'c', 't', 'confirmed', now(),
           now()
         from generate_series(1, 100001) n
         returning id
       )
       insert into feed_inbox.entry_body (entry_id, body) select id, 'x' from dead`,
    )
    const target = { filter: { type: 'countless' } }
    expect(await inbox.entries.retry(target, { dryRun: true })).toBe(100_001)
  })

  async function storeDead(): Promise<string> {
    const event = makeEvent()
    await inbox.accept(deliveryOf(event))
    await kill([event.id])
    return event.id
  }

  async function kill(ids: string[]): Promise<void> {
    await database().query(
      `update feed_inbox.entry set state = 'dead', handled_at = now() where event_id = any($1)`,
      [ids],
    )
  }

  async function setAside() {
    const delivery = { ...deliveryOf(makeEvent()), doubt: 'id_mismatch' as const }
    await inbox.accept(delivery)
    const [row] = (await inbox.quarantined.list()).quarantined
    return { delivery, id: row?.id ?? 0 }
  }
})

describeOnEach('the latest activity on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  let inbox: Inbox

  beforeAll(async () => {
    inbox = createInbox({ database: database() })
    await inbox.start()
  })
  afterAll(() => inbox.stop())

  it('is empty at first', async () => {
    expect(await inbox.activity()).toMatchObject({
      steps: [],
      isExact: true,
      lastDeliveryAt: null,
      failing: { count: 0, isExact: true },
    })
    expect(await inbox.entries.facets()).toEqual({ providers: [], types: [], categories: [] })
    await expect(inbox.activity({ hours: 0 })).rejects.toThrow('hours: use a number')
  })

  it('is summed by time, type and state, with duplicates', async () => {
    const receivedAt = new Date(Date.now() - 3 * 3_600_000)
    const first = { ...deliveryOf(makeEvent()), receivedAt }
    const second = { ...deliveryOf(makeEvent({ type: 'outage_started' })), receivedAt }
    await inbox.accept({
      ...deliveryOf(makeEvent()),
      receivedAt: new Date(receivedAt.getTime() / 2),
    })
    for (const delivery of [first, second, first, first]) await inbox.accept(delivery)
    const { event: pulled } = deliveryOf(makeEvent({ type: 'pricing_change' }))
    await inbox.acceptPage([pulled], { stream: 'events', at: receivedAt })
    const { steps, lastDeliveryAt, stepSeconds } = await inbox.activity()
    expect(stepSeconds).toBe(1_800)
    expect(lastDeliveryAt).toBe(receivedAt.toISOString())
    const at = new Date(Math.floor(receivedAt.getTime() / 1_800_000) * 1_800_000).toISOString()
    expect(steps.toSorted((a, b) => a.type.localeCompare(b.type))).toEqual([
      { at, type: 'model_release', state: 'received', accepted: 1, duplicates: 2, pulled: 0 },
      { at, type: 'outage_started', state: 'received', accepted: 1, duplicates: 0, pulled: 0 },
      { at, type: 'pricing_change', state: 'received', accepted: 1, duplicates: 0, pulled: 1 },
    ])
    expect(await inbox.entries.facets()).toEqual({
      providers: ['northwind-ai'],
      types: ['model_release', 'outage_started', 'pricing_change'],
      categories: ['models'],
    })
  })

  it('tells the latest delivery, of an older event too, but not of a test', embedded, async () => {
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)
    await using quiet = createInbox({ database: database(), source: 'quiet' })
    await quiet.start()
    const old = { ...deliveryOf(makeEvent()), receivedAt: minutesAgo(180) }
    const recent = { ...deliveryOf(makeEvent()), receivedAt: minutesAgo(50) }
    const again = { ...old, receivedAt: minutesAgo(10) }
    const check = { ...deliveryOf(makeEvent()), notes: ['check' as const], isCheck: true as const }
    for (const delivery of [old, recent, again, check]) await quiet.accept(delivery)
    const { lastDeliveryAt } = await quiet.activity({ hours: 1 })
    expect(lastDeliveryAt).toBe(again.receivedAt.toISOString())
  })

  it('includes rejected and quarantined deliveries', embedded, async () => {
    const { event: _, ...delivery } = deliveryOf({}, Buffer.from('{"cut'))
    await inbox.quarantine({ ...delivery, detail: 'cut', eventId: null }, 'not_json')
    // Written together at the start. Later, the second one would wait for seconds.
    await using receiving = createInbox({ database: database() })
    for (const durationMs of [1, 2]) {
      receiving.answered({ reason: 'signature_mismatch', status: 401, notes: [], durationMs })
    }
    await receiving.start()
    await expect.poll(async () => (await inbox.rejections())[0]?.count).toBe(2)
    await database().query(
      `update feed_inbox.quarantine set first_seen_at = now() - interval '2 hours'`,
    )
    const { notStored, stepSeconds } = await inbox.activity()
    expect(notStored.map(({ outcome, count }) => [outcome, count])).toEqual([
      ['quarantined', 1],
      ['rejected', 2],
    ])
    for (const { at } of notStored) expect((Date.parse(at) / 1_000) % stepSeconds).toBe(0)
    expect((await inbox.activity({ hours: 1 })).notStored).toMatchObject([{ outcome: 'rejected' }])
  })

  it('begins with the first of the entries that it counts', async () => {
    await database().query(
      `insert into feed_inbox.entry (source, event_id, state, type, provider, category, title,
         confirmation, created_at, received_at)
       select 'countless', 'evt_' || n, 'done', 'type_' || n % 20, 'p', 'c', 't', 'confirmed', now(),
         date_trunc('hour', now()) - interval '2 hours' + n * interval '1 millisecond'
       from generate_series(1, 20007) n`,
    )
    await using many = createInbox({ database: database(), source: 'countless' })
    await many.start()
    const { isExact, since, steps } = await many.activity()
    expect(isExact).toBe(false)
    expect(since).toMatch(/:00:00\.008Z$/)
    expect(new Set(steps.map(({ at }) => at)).size).toBe(1)
  })

  it('counts failed entries that wait for their next attempt', async () => {
    await inbox.work({
      outage_started: () => {
        throw new Error('not yet')
      },
    })
    await expect.poll(async () => (await inbox.activity()).failing.count).toBe(1)
  })
})
