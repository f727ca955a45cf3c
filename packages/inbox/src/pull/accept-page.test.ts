import type { EventDelivery, FeedEvent } from '@feed-receiver/core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../../test/support/databases.ts'
import { until } from '../../../../test/support/until.ts'
import { createInbox, Permanent, type HandlerContext, type Handlers, type Inbox } from '../index.ts'

type Facts = NonNullable<FeedEvent['pull']>

interface Call extends Pick<HandlerContext, 'via' | 'change' | 'revision'> {
  title: string
  pull: Facts | undefined
}

const at = new Date('2026-11-03T00:00:00Z')

function pulled(pull: Facts = {}, data: Partial<FeedEvent['data']> = {}, more: object = {}) {
  const event = makeEvent(more)
  return { ...event, data: { ...event.data, ...data }, pull } as FeedEvent
}

/** The same event with later content. */
function later(event: FeedEvent, data: Partial<FeedEvent['data']>, pull: Facts = {}): FeedEvent {
  return { ...event, data: { ...event.data, ...data }, pull: { ...event.pull, ...pull } }
}

/** The members of the event that a webhook has. */
function pushed({ pull: _pull, ...envelope }: FeedEvent) {
  return deliveryOf(envelope)
}

/** Nested too deeply to serialize. */
function unstorable(): FeedEvent {
  let deep: unknown = []
  for (let depth = 0; depth < 20_000; depth += 1) deep = [deep]
  return pulled({ incident: deep } as object)
}

describeOnEach('pages of the pull API on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  const calls = new Map<string, Call[]>()
  const holding = new Map<string, Promise<void>>()
  const handlers: Handlers = {
    '*': async (event, { tx, via, change, revision }) => {
      await tx.query('insert into seen values ($1, $2)', [event.id, revision])
      const { title } = event.data
      const call = { title, via, change, revision, pull: event.pull }
      calls.set(event.id, [...(calls.get(event.id) ?? []), call])
      await holding.get(event.id)
    },
  }
  let inbox: Inbox
  const warnings: unknown[] = []

  beforeAll(async () => {
    inbox = createInbox({ database: database(), onError: (error) => warnings.push(error) })
    await inbox.start()
    await database().query('create table seen (event_id text, revision integer)')
  })
  afterEach(() => {
    const [warning] = warnings.splice(0)
    if (warning) throw warning
  })
  afterAll(() => inbox.stop())

  const accept = (events: FeedEvent[], cursor: string | null = null) =>
    inbox.acceptPage(events, { stream: 'events', cursor, at })
  const handle = () => inbox.drain(handlers)
  const makeRetriesDue = () =>
    database().query(`update feed_inbox.job set start_after = now() where state = 'retry'`)
  const callsOf = ({ id }: FeedEvent) => calls.get(id) ?? []
  const cursor = async () => (await inbox.streams.list())[0]?.cursor

  describe('are stored', () => {
    it('with their cursor, and handled once [R115]', async () => {
      const events = [pulled({ detectedVia: 'rss' }), pulled()]
      expect(await accept(events, 'one')).toEqual({ stored: 2, revised: 0, quarantined: 0 })
      expect(await accept(events, 'two')).toEqual({ stored: 0, revised: 0, quarantined: 0 })
      expect(await cursor()).toBe('two')
      await handle()
      const [first] = events
      if (!first) throw new Error('There are two.')
      expect(callsOf(first)).toEqual([
        {
          title: first.data.title,
          via: 'pull',
          change: 'new',
          revision: 1,
          pull: { detectedVia: 'rss' },
        },
      ])
      expect(await inbox.entries.get(first.id)).toMatchObject({
        state: 'done',
        event: first,
        via: 'pull',
        pulledAt: '2026-11-03T00:00:00.000Z',
        bodyBase64: null,
        pushCount: 0,
      })
    })

    it('without ever losing the cursor [R121]', async () => {
      await accept([], 'kept')
      await accept([], null)
      await inbox.acceptPage([], { stream: 'events' })
      expect(await cursor()).toBe('kept')
    })

    it('only as a whole, events and cursor [R116]', async () => {
      await accept([], 'before')
      const event = pulled()
      await database().query('alter table feed_inbox.job_common rename to job_away')
      await expect(accept([event], 'after')).rejects.toThrow('does not exist')
      await database().query('alter table feed_inbox.job_away rename to job_common')
      expect(await inbox.entries.get(event.id)).toBeNull()
      expect(await cursor()).toBe('before')
      expect(await accept([event], 'after')).toEqual({ stored: 1, revised: 0, quarantined: 0 })
    })

    it('in order, the latest first in lists', embedded, async () => {
      const events = [3, 1, 2].map((number) =>
        pulled({}, {}, { id: `evt_${kind}_order_${number}` }),
      )
      const evening = new Date('2026-11-03T20:00:00Z')
      await inbox.acceptPage(events, { stream: 'events', at: evening })
      const { entries } = await inbox.entries.list({ since: evening })
      expect(entries.map(({ eventId }) => eventId)).toEqual(events.map(({ id }) => id).toReversed())
    })

    it('once, concurrently with pushes of the same events [R14]', async () => {
      const events = Array.from({ length: 60 }, () => pulled())
      const [page, ...outcomes] = await Promise.all([
        accept(events),
        ...events.toReversed().map((event) => inbox.accept(pushed(event))),
      ])
      const stored = outcomes.filter((outcome) => outcome === 'stored').length
      expect(page.stored + stored).toBe(60)
      expect(page.revised).toBe(0)
      expect(outcomes.filter((outcome) => typeof outcome === 'object')).toEqual([])
    })

    it('whatever text they contain', async () => {
      const odd = pulled({ detectedVia: 'nul \0, half \ud83d, \\u0000 and 😀' })
      await accept([odd])
      expect((await inbox.entries.get(odd.id))?.event?.pull).toEqual({
        detectedVia: 'nul \ufffd, half \ufffd, \\u0000 and 😀',
      })
      expect(await accept([odd])).toEqual({ stored: 0, revised: 0, quarantined: 0 })
    })

    it(
      'once if a page has them twice, each with its own rule of what push delivers',
      embedded,
      async () => {
        const created_at = new Date(at.getTime() + 1_000).toISOString()
        const events = [1, 2, 3].map(() => pulled({}, {}, { created_at }))
        const twice = [...events, ...events]
        const [, second] = events
        const expects = ({ id }: FeedEvent) => id === second?.id
        const page = { stream: 'prepared', cursor: 'prepared', at, expects }
        expect(await inbox.acceptPage(twice, page)).toEqual({
          stored: 3,
          revised: 0,
          quarantined: 0,
        })
        expect(await inbox.streams.list()).toContainEqual(
          expect.objectContaining({ stream: 'prepared', cursor: 'prepared' }),
        )
        const { rows } = await database().query<{ id: string }>(
          `select event_id as id from feed_inbox.entry
           where event_id = any($1::text[]) and push_expected`,
          [events.map(({ id }) => id)],
        )
        expect(rows).toEqual([{ id: second?.id }])
        expect(await inbox.acceptPage(twice, page)).toEqual({
          stored: 0,
          revised: 0,
          quarantined: 0,
        })
      },
    )

    it('without an event that cannot be stored, which does not block others', async () => {
      const [good, other] = [pulled(), pulled()]
      const bad = unstorable()
      const unreadable = [{ value: { id: 'evt_half' }, detail: 'sourceUrl: expected text' }]
      const options = { stream: 'events', cursor: 'past it', at, unreadable }
      const stored = await inbox.acceptPage([good, bad, other], options)
      expect(stored).toEqual({ stored: 2, revised: 0, quarantined: 2 })
      expect(await cursor()).toBe('past it')
      const { quarantined } = await inbox.quarantined.list({ limit: 2 })
      expect(quarantined.map(({ reason, detail }) => [reason, detail])).toEqual([
        ['not_an_event', 'The database rejects it.'],
        ['not_an_event', 'sourceUrl: expected text'],
      ])
    })
  })

  it('are quarantined alone if a constraint rejects only them', embedded, async () => {
    const [bad, good] = [pulled(), pulled()]
    await database().query(
      `alter table feed_inbox.entry add constraint no_bad check (event_id <> '${bad.id}')`,
    )
    const result = await accept([bad, good], 'after')
    await database().query('alter table feed_inbox.entry drop constraint no_bad')
    expect(result).toEqual({ stored: 1, revised: 0, quarantined: 1 })
    expect(await cursor()).toBe('after')
  })

  it('stay with the service while a table rejects every event', embedded, async () => {
    await accept([pulled()], 'before')
    const before = await inbox.quarantined.list()
    await database().query(
      `insert into feed_inbox.entry (id, source, event_id, type, provider, category, title,
         confirmation, created_at, received_at) overriding system value
       select last_value + n, 'copied', 'copied-' || n, 't', 'p', 'c', 't', 'c', now(), now()
       from feed_inbox.entry_id_seq, generate_series(1, 20) n`,
    )
    const events = [pulled(), pulled()]
    await expect(accept(events, 'after')).rejects.toMatchObject({ code: '23505' })
    expect(await cursor()).toBe('before')
    expect(await inbox.quarantined.list()).toEqual(before)
    await database().query(`delete from feed_inbox.entry where source = 'copied'`)
    expect(await accept(events, 'after')).toEqual({ stored: 2, revised: 0, quarantined: 0 })
  })

  describe('and pushes', () => {
    it('share one entry, and a later push adds its bytes', async () => {
      const event = pulled({ detectedVia: 'api' })
      await accept([event])
      const delivery = pushed(event)
      expect(await inbox.accept(delivery)).toBe('duplicate')
      expect(await inbox.accept(delivery)).toBe('duplicate')
      await handle()
      expect(callsOf(event)).toMatchObject([{ via: 'pull', change: 'new', pull: event.pull }])
      expect(await inbox.entries.get(event.id)).toMatchObject({
        bodyBase64: Buffer.from(delivery.body).toString('base64'),
        pushCount: 2,
        revision: 1,
      })
    })

    it('share one entry, and a later pull adds its facts', async () => {
      const event = pulled({ detectedVia: 'api' }, { source_published_at: '2026-11-01T02:00:00Z' })
      await inbox.accept(pushed(event))
      await handle()
      const same = later(event, { source_published_at: '2026-11-01T03:00:00.000+01:00' })
      expect(await accept([same])).toEqual({ stored: 0, revised: 0, quarantined: 0 })
      await handle()
      expect(callsOf(event)).toMatchObject([{ via: 'push', change: 'new', pull: undefined }])
      const details = await inbox.entries.get(event.id)
      expect(details).toMatchObject({ state: 'done', via: 'push', revision: 1 })
      // The signed event, with the facts that pull adds.
      expect(details?.event).toEqual({ ...event, pull: { detectedVia: 'api' } })
    })
  })

  describe('of changed events', () => {
    const kinds: [string, Partial<FeedEvent['data']>, Facts, string][] = [
      ['corrected', { title: 'Better' }, { correctedAt: '2026-11-04T00:00:00Z' }, 'correction'],
      [
        'corrected in facts that only pull has',
        {},
        { correctedAt: '2026-11-05T00:00:00Z' },
        'correction',
      ],
      [
        'corrected with the same content',
        {},
        { correctedAt: '2026-11-04T00:00:00Z' },
        'correction',
      ],
      ['changed without a mark', { title: 'Other' }, {}, 'correction'],
      ['retracted', {}, { retractedAt: '2026-11-04T00:00:00Z' }, 'retraction'],
      ['confirmed', { confirmation: 'confirmed' }, {}, 'confirmation'],
    ]
    it.each(kinds)('handle the event again: %s [R22, R29, R30]', async (_, data, facts, change) => {
      const event = pulled(
        change === 'correction' && facts.correctedAt === '2026-11-05T00:00:00Z'
          ? { correctedAt: '2026-11-02T12:00:00Z' }
          : {},
        { confirmation: change === 'confirmation' ? 'unconfirmed' : 'confirmed' },
      )
      await accept([event])
      await handle()
      const changed = later(event, data, facts)
      expect(await accept([changed])).toEqual({ stored: 0, revised: 1, quarantined: 0 })
      expect(await accept([changed])).toEqual({ stored: 0, revised: 0, quarantined: 0 })
      await handle()
      expect(callsOf(event)).toMatchObject([
        { change: 'new', revision: 1 },
        { change, revision: 2, title: changed.data.title, pull: changed.pull },
      ])
      expect(await inbox.entries.get(event.id)).toMatchObject({
        state: 'done',
        change,
        revision: 2,
        title: changed.data.title,
      })
    })

    it.each([
      ['new content', { title: 'Better' }, {}, 'correction'],
      ['a confirmation', { confirmation: 'confirmed' }, {}, 'confirmation'],
      ['a retraction', {}, { retractedAt: '2026-11-04T00:00:00Z' }, 'retraction'],
    ] as const)('handle an event from push again: %s', async (_, data, facts, change) => {
      const event = pulled({}, { confirmation: 'unconfirmed' })
      const delivery = pushed(event)
      await inbox.accept(delivery)
      await handle()
      const changed = later(event, data, facts)
      expect(await accept([changed])).toEqual({ stored: 0, revised: 1, quarantined: 0 })
      expect(await inbox.accept(delivery)).toBe('duplicate')
      await handle()
      expect(callsOf(event)).toMatchObject([
        { via: 'push', change: 'new' },
        { via: 'pull', change, title: changed.data.title },
      ])
      const details = await inbox.entries.get(event.id)
      expect(details?.bodyBase64).toBe(Buffer.from(delivery.body).toString('base64'))
    })

    it('do not handle the event again if only metadata differ [R38]', async () => {
      const event = pulled({ detectedVia: 'api' })
      await accept([event])
      await handle()
      const changed = later(event, {}, { detectedVia: 'rss', canonicalUrl: null })
      expect(await accept([changed])).toEqual({ stored: 0, revised: 0, quarantined: 0 })
      const details = await inbox.entries.get(event.id)
      expect(details).toMatchObject({ state: 'done', revision: 1, event: changed })
    })

    it('store earlier revisions until the content is pruned', embedded, async () => {
      const event = pulled({}, { title: 'First' })
      await inbox.accept(pushed(event))
      await handle()
      const second = later(event, { title: 'Second' })
      await accept([second])
      await handle()
      expect(await accept([second])).toEqual({ stored: 0, revised: 0, quarantined: 0 })
      const third = later(second, {}, { retractedAt: '2026-11-04T00:00:00Z' })
      await accept([later(third, { title: 'Third' })])
      await handle()
      const replacedAt = at.toISOString()
      const { pull: _pull, ...signed } = event
      expect((await inbox.entries.get(event.id))?.revisions).toEqual([
        { revision: 1, via: 'push', change: 'new', event: signed, replacedAt },
        { revision: 2, via: 'pull', change: 'correction', event: second, replacedAt },
      ])
      await database().query(
        `update feed_inbox.entry set received_at = now() - interval '99 days',
           handled_at = now() - interval '99 days' where event_id = $1`,
        [event.id],
      )
      expect(await inbox.prune()).toEqual({ emptied: 1, deleted: 0 })
      const { event: latest, revisions = [] } = (await inbox.entries.get(event.id)) ?? {}
      expect([latest, ...revisions.map((revision) => revision.event)]).toEqual([null, null, null])
    })

    it('pass the latest content as new if the event was not handled yet', async () => {
      const event = pulled()
      await accept([event])
      const changed = later(event, { title: 'Better' }, { correctedAt: '2026-11-04T00:00:00Z' })
      expect(await accept([changed])).toEqual({ stored: 0, revised: 1, quarantined: 0 })
      await handle()
      expect(callsOf(event)).toMatchObject([{ change: 'new', title: 'Better', revision: 2 }])
    })

    it(
      'handle the event again if it was in progress, and roll back the first run',
      embedded,
      async () => {
        const event = pulled()
        const gate = openGate()
        holding.set(event.id, gate.opened)
        await accept([event])
        const running = handle()
        await until('the handler runs', () => callsOf(event).length === 1)
        // On the embedded database the handler holds the only connection.
        const changing = accept([later(event, { title: 'Better' })])
        if (kind === 'postgres') await changing
        gate.open()
        await Promise.all([running, changing])
        holding.delete(event.id)
        await until('it is done', async () => {
          await makeRetriesDue()
          await handle()
          return (await inbox.entries.get(event.id))?.state === 'done'
        })
        expect(callsOf(event).at(-1)).toMatchObject({ title: 'Better', revision: 2 })
        const { rows } = await database().query('select revision from seen where event_id = $1', [
          event.id,
        ])
        expect(rows).toEqual(kind === 'postgres' ? [{ revision: 2 }] : expect.anything())
      },
    )

    it.each(['fails for good', 'is the last one'])(
      'handle the event although an attempt in progress %s',
      embedded,
      async (fate) => {
        const event = pulled()
        const gate = openGate()
        const seen: number[] = []
        const handling: Handlers = {
          '*': async ({ id }, { revision }) => {
            if (id !== event.id) return
            seen.push(revision)
            if (revision > 1) return
            await gate.opened
            if (fate === 'fails for good') throw new Permanent('not like this')
          },
        }
        await accept([event])
        await database().query(`update feed_inbox.job set retry_limit = 0 where state = 'created'`)
        const running = inbox.drain(handling)
        await until('the handler runs', () => seen.length === 1)
        await accept([later(event, { title: 'Better' })])
        gate.open()
        await running
        await inbox.drain(handling)
        expect(seen).toEqual([1, 2])
        expect((await inbox.entries.get(event.id))?.state).toBe('done')
      },
    )

    it('ignore older content [R29]', async () => {
      const event = pulled({ correctedAt: '2026-11-04T00:00:00Z' }, { title: 'Better' })
      await accept([event])
      const older = later(event, { title: 'Worse' }, { correctedAt: null })
      expect(await accept([older])).toEqual({ stored: 0, revised: 0, quarantined: 0 })
      const retracted = later(event, {}, { retractedAt: '2026-11-05T00:00:00Z' })
      // Both on one page, in this order.
      expect(await accept([retracted, event])).toEqual({ stored: 0, revised: 1, quarantined: 0 })
      expect(await accept([event])).toEqual({ stored: 0, revised: 0, quarantined: 0 })
      expect((await inbox.entries.get(event.id))?.event?.pull).toEqual(retracted.pull)
    })

    it('stay a retraction if corrected again before they are handled', async () => {
      const event = pulled()
      await accept([event])
      await handle()
      const retracted = later(event, {}, { retractedAt: '2026-11-04T00:00:00Z' })
      await accept([retracted])
      await accept([later(retracted, {}, { correctedAt: '2026-11-05T00:00:00Z' })])
      await handle()
      expect(callsOf(event)).toMatchObject([
        { change: 'new' },
        { change: 'retraction', revision: 3 },
      ])
    })

    it('pass an event as a retraction if it was retracted before it was first read [R30]', async () => {
      const event = pulled({ retractedAt: '2026-11-04T00:00:00Z' })
      await accept([event])
      await handle()
      expect(callsOf(event)).toMatchObject([{ change: 'retraction', revision: 1 }])
    })

    it('compare hashes once the content is pruned', async () => {
      const event = pulled()
      await accept([event])
      await handle()
      await database().query(
        `update feed_inbox.entry set received_at = now() - interval '99 days',
           handled_at = now() - interval '99 days' where event_id = $1`,
        [event.id],
      )
      expect(await inbox.prune()).toEqual({ emptied: 1, deleted: 0 })
      expect((await inbox.entries.get(event.id))?.event).toBeNull()
      expect(await accept([event])).toEqual({ stored: 0, revised: 0, quarantined: 0 })
      const changed = later(event, { title: 'Better' })
      expect(await accept([changed])).toEqual({ stored: 0, revised: 1, quarantined: 0 })
      await handle()
      expect(callsOf(event).at(-1)).toMatchObject({ change: 'correction', title: 'Better' })
    })
  })

  describe('of a stream', () => {
    const lease = { leaseMs: 60_000 }

    it('are leased to one holder at a time', embedded, async () => {
      const taken = await inbox.streams.take('leased', { holder: 'one', ...lease, at })
      expect(taken).toMatchObject({ cursor: null, phase: 'first_run', startedAt: at.toISOString() })
      expect(await inbox.streams.take('leased', { holder: 'two', ...lease })).toBeNull()
      expect(await inbox.streams.take('leased', { holder: 'one', ...lease })).not.toBeNull()
      await inbox.streams.release('leased', 'one')
      expect(await inbox.streams.take('leased', { holder: 'two', leaseMs: 0 })).not.toBeNull()
      expect(await inbox.streams.take('leased', { holder: 'one', ...lease })).not.toBeNull()

      const event = pulled()
      const late = inbox.acceptPage([event], { stream: 'leased', holder: 'two', cursor: 'late' })
      await expect(late).rejects.toMatchObject({ code: 'lease_lost' })
      expect(await inbox.entries.get(event.id)).toBeNull()
      const note = { phase: 'waiting', code: 'rate_limited', waitUntil: at } as const
      expect(await inbox.streams.note('leased', 'two', note)).toBe(false)
      expect(await inbox.streams.note('leased', 'one', note)).toBe(true)
      expect(await inbox.streams.take('leased', { holder: 'one', ...lease })).toMatchObject({
        cursor: null,
        phase: 'waiting',
        code: 'rate_limited',
        waitUntil: at.toISOString(),
      })
    })

    it('have the latest test delivery', async () => {
      const id = async () =>
        (await inbox.streams.take('tested', { holder: 'one', ...lease }))?.latestTestId
      const before = await id()
      await inbox.accept(deliveryOf(makeEvent({ type: 'destination_test' })))
      expect(await id()).not.toBe(before)
    })

    it('record a gap if the stream began again', embedded, async () => {
      const stream = 'restarted'
      await inbox.acceptPage([], { stream, cursor: 'lost', at })
      const again = new Date(at.getTime() + 60_000)
      // The database then stores the page event by event.
      const page = [pulled(), unstorable()]
      await inbox.acceptPage(page, { stream, cursor: 'new', at: again, gapCode: 'invalid_request' })
      expect(await inbox.gaps.streams()).toEqual([
        {
          id: expect.any(Number),
          stream,
          since: at.toISOString(),
          until: again.toISOString(),
          code: 'invalid_request',
        },
      ])
    })
  })

  describe('with events that push did not deliver', () => {
    const minutes = (count: number) => new Date(at.getTime() + count * 60_000)
    const seenAt = { created_at: minutes(1).toISOString() }
    const [old, missed, other, brought] = [{}, seenAt, seenAt, seenAt].map((more) =>
      pulled({}, {}, more),
    )

    it(
      'list them as gaps when a push is overdue, and as missed if the rules select them',
      embedded,
      async () => {
        if (!old || !missed || !other || !brought) throw new Error('There are four.')
        const separate = createInbox({ database: database(), schema: `gaps_${kind}` })
        await separate.start()
        await separate.acceptPage([], { stream: 'events', at })
        await separate.acceptPage([old, missed, other, brought], {
          stream: 'events',
          at: minutes(2),
          expects: ({ id }) => id !== other.id,
        })
        await separate.accept({ ...pushed(brought), receivedAt: minutes(3) })
        expect(await separate.gaps.count({ asOf: minutes(91) })).toEqual({
          missed: { count: 0, isExact: true },
          pullOnly: { count: 0, isExact: true },
          probablePause: null,
        })
        const asOf = minutes(93)
        const { gaps, next } = await separate.gaps.list({ asOf })
        expect(gaps).toMatchObject([
          { eventId: missed.id, expected: true, pulledAt: minutes(2).toISOString() },
        ])
        expect(next).toBeNull()
        // Unselected events are not missed, and events older than the stream are not gaps.
        expect((await separate.gaps.list({ asOf, kind: 'pull_only' })).gaps).toHaveLength(1)
        expect((await separate.gaps.count({ asOf })).probablePause).toBeNull()

        const silent = pulled({}, {}, { created_at: minutes(5).toISOString() })
        const unsaid = pulled({}, {}, { created_at: minutes(5).toISOString() })
        await separate.acceptPage([silent], {
          stream: 'events',
          at: minutes(6),
          expects: () => true,
        })
        await separate.acceptPage([unsaid], { stream: 'events', at: minutes(6) })
        const then = { asOf: minutes(200) }
        // The latest event came by pull alone, so this is the time of the last push.
        const { lastDeliveryAt } = await separate.activity({ hours: 0.1 })
        expect(lastDeliveryAt).toBe(minutes(3).toISOString())
        expect(await separate.gaps.count(then)).toEqual({
          missed: { count: 2, isExact: true },
          pullOnly: { count: 3, isExact: true },
          probablePause: {
            missed: { count: 1, isExact: true },
            lastPushAt: minutes(3).toISOString(),
          },
        })
        const { next: behind } = await separate.gaps.list({ ...then, kind: 'pull_only', limit: 2 })
        const rest = await separate.gaps.list({ ...then, kind: 'pull_only', after: behind ?? 0 })
        expect(rest.gaps.map(({ eventId }) => eventId)).toEqual([missed.id])

        // A test of doctor shows nothing of the service, whose destination stays paused.
        const check: EventDelivery = {
          ...pushed(pulled()),
          receivedAt: minutes(150),
          notes: ['check'],
        }
        await separate.accept(check)
        await separate.accept(check)
        expect((await separate.gaps.count(then)).probablePause).toMatchObject({
          lastPushAt: minutes(3).toISOString(),
        })

        await separate.accept({ ...pushed(silent), receivedAt: minutes(8) })
        expect((await separate.gaps.count(then)).missed.count).toBe(1)
        await separate.stop()
      },
    )
  })
})

function openGate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { opened, open: () => open() }
}
