import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent as makePushed } from '../../../../test/contract/harness.ts'
import { filledKinds, useDatabase } from '../../../../test/support/databases.ts'
import { makeEvent } from '../../test/make-event.ts'
import {
  day,
  hour,
  idsIn,
  minute,
  pollerSetup,
  publish,
  range,
  start,
} from '../../test/poller-setup.ts'
import { limited, sendError, type Fault } from '../../test/serve-feed.ts'
import { rememberAnswers, type PollInbox } from '../index.ts'

describe.each(filledKinds)('a poller on %s', (kind) => {
  const setUp = pollerSetup(useDatabase(kind, 'inbox'))

  it('stores the newest events and all later ones, oldest first, each once [R114]', async () => {
    const { feed, inbox, pollerOf, pass } = await setUp({ firstCursor: 'tail' })
    publish(feed, 1, 60)
    await pollerOf().start()
    await expect.poll(() => idsIn(inbox)).toEqual(range(11, 60))
    expect(feed.requests.map(({ query }) => query.get('limit'))).toEqual(['50'])

    publish(feed, 61, 300)
    await pass(minute)
    await expect.poll(() => idsIn(inbox)).toHaveLength(290)
    expect((await idsIn(inbox)).toSorted()).toEqual(range(11, 300).toSorted())
    expect(feed.requests.map(({ query }) => query.get('limit'))).toEqual(['50', '200', '200'])

    const handled: string[] = []
    await inbox.drain({ '*': ({ id }) => handled.push(id) }, { forMs: minute })
    expect(handled.toSorted()).toEqual(range(11, 300).toSorted())
  })

  it('stores everything if the first cursor marks the oldest event, past duplicates too [R115, R117]', async () => {
    const { feed, inbox, pollerOf } = await setUp({ firstCursor: 'replay' })
    publish(feed, 1, 450)
    // These were pushed before. A poller that stopped at a duplicate would miss the rest.
    for (const id of ['evt_100', 'evt_250']) await inbox.accept(deliveryOf(makePushed({ id })))
    const round = await pollerOf().poll()
    expect(round).toMatchObject({ outcome: 'caught_up', pages: 4, stored: 448 })
    expect((await idsIn(inbox)).toSorted()).toEqual(range(1, 450).toSorted())
  })

  it('re-reads after a crash at any step, without duplicates or gaps [R119]', async () => {
    const { feed, inbox, pollerOf } = await setUp({ firstCursor: 'replay' })
    publish(feed, 1, 450)
    let step = 0
    // Killed before the page is stored, or right after.
    const killed = (when: 'before' | 'after', at: number): PollInbox => ({
      ...inbox,
      async acceptPage(events, progress) {
        step += 1
        if (when === 'before' && step === at) throw new Error('killed')
        const result = await inbox.acceptPage(events, progress)
        if (when === 'after' && step === at) throw new Error('killed')
        return result
      },
    })
    for (const when of ['before', 'after'] as const) {
      for (const at of [1, 2, 3]) {
        step = 0
        await pollerOf({ inbox: killed(when, at), leaseMs: 1 })
          .poll()
          .catch(() => {})
      }
    }
    await pollerOf({ leaseMs: 1 }).poll()
    const ids = await idsIn(inbox)
    expect(ids.toSorted()).toEqual(range(1, 450).toSorted())
    expect(await inbox.drain({ '*': () => {} }, { forMs: minute })).toMatchObject({ handled: 450 })
  })
})

describe('a poller', () => {
  const setUp = pollerSetup(useDatabase('postgres', 'inbox'))

  it('stores changed events: after the cursor at once, elsewhere within an hour [R29]', async () => {
    const { feed, inbox, pollerOf, pass } = await setUp()
    publish(feed, 1, 3)
    await pollerOf({ intervalMs: 15 * minute }).start()
    await expect.poll(() => idsIn(inbox)).toHaveLength(3)

    feed.publish(makeEvent(2, { title: 'Better', correctedAt: '2026-12-01T00:00:30Z' }))
    feed.edit(makeEvent(3, { retractedAt: '2026-12-01T00:00:30Z' }))
    await pass(15 * minute)
    await expect.poll(() => inbox.entries.get('evt_2')).toMatchObject({ title: 'Better' })
    expect(await inbox.entries.get('evt_3')).toMatchObject({ revision: 1 })
    await pass(hour)
    await expect
      .poll(() => inbox.entries.get('evt_3'))
      .toMatchObject({ revision: 2, change: 'retraction' })
  })

  it('does not confuse the id of an incident with the id of an event [R39]', async () => {
    const { feed, inbox, pollerOf } = await setUp()
    for (const number of [1, 2]) {
      const { id, title, sourceUrl, firstObservedAt } = makeEvent(1)
      const root = { id, title, sourceUrl, firstObservedAt, summary: null }
      const step = { phase: 'updated', sequence: number, receiptCount: 1, status: 'open' }
      const times = { startedAt: null, updatedAt: null, resolvedAt: null }
      // An event has this id too, and both steps share it.
      const incident = { id: 'evt_2', rootEventId: id, root, ...step, ...times }
      feed.publish(makeEvent(number, { incident }))
    }
    expect(await pollerOf().poll()).toMatchObject({ stored: 2, revised: 0 })
    expect(await idsIn(inbox)).toEqual(['evt_1', 'evt_2'])
  })

  it('continues from its cursor, even after a page without one [R121]', async () => {
    const { feed, inbox, pollerOf } = await setUp()
    publish(feed, 1, 1)
    await pollerOf().poll()
    feed.failNext((response) => {
      const usage = { requests: 1, limit: 9, period: '2026-12', resetsAt: '2027-01-01T00:00:00Z' }
      response.end(JSON.stringify({ data: [], nextCursor: null, hasMore: false, usage }))
    })
    await pollerOf().poll()
    publish(feed, 2, 2)
    await pollerOf().poll()
    expect(await idsIn(inbox)).toEqual(['evt_1', 'evt_2'])
    expect(feed.requests.slice(1).every(({ query }) => query.has('cursor'))).toBe(true)
  })

  it('stores a cursor for each filter and account [R125]', async () => {
    const { feed, inbox, pollerOf } = await setUp()
    publish(feed, 1, 1)
    feed.publish(makeEvent(2, { confirmationState: 'unconfirmed' }))
    await pollerOf().poll()
    await pollerOf({ filter: { confirmation: 'all' } }).poll()
    await pollerOf({ account: 'other' }).poll()
    expect(await idsIn(inbox)).toEqual(['evt_1', 'evt_2'])
    expect(feed.requests.some(({ query }) => query.has('cursor'))).toBe(false)
    expect(await inbox.streams.list()).toHaveLength(3)
  })

  it('starts again if its cursor is rejected, and reports since when events may be missing', async () => {
    const { feed, inbox, pollerOf, codes, clock } = await setUp()
    publish(feed, 1, 1)
    await pollerOf().poll()
    publish(feed, 2, 150)
    await clock.advance(hour / 2)
    feed.failNext((response) => sendError(response, 400, 'invalid_request'))
    expect(await pollerOf().poll()).toMatchObject({ outcome: 'caught_up', stored: 149 })
    expect((await idsIn(inbox)).toSorted()).toEqual(range(1, 150).toSorted())
    expect(codes()).toEqual(['cursor_lost'])
    expect(await inbox.gaps.streams()).toMatchObject([
      { since: '2026-12-01T00:00:00.000Z', until: '2026-12-01T00:30:00.000Z' },
    ])
    publish(feed, 151, 151)
    expect(await pollerOf().poll()).toMatchObject({ pages: 1, stored: 1 })
  })

  it('reports a lost cursor even if the next read fails, and only once', async () => {
    const { feed, inbox, pollerOf, codes, clock } = await setUp()
    publish(feed, 1, 1)
    const poller = pollerOf()
    await poller.poll()
    const reject: Fault = (response) => sendError(response, 400, 'invalid_request')
    feed.failNext(reject, limited('burst', 60))
    expect(await poller.poll()).toMatchObject({ outcome: 'waiting', code: 'rate_limited' })
    expect(codes()).toEqual(['cursor_lost'])
    await clock.advance(minute)
    feed.failNext(reject)
    expect(await poller.poll()).toMatchObject({ outcome: 'caught_up' })
    expect(codes()).toEqual(['cursor_lost'])
    await poller.poll()
    feed.failNext(reject)
    await poller.poll()
    expect(codes()).toEqual(['cursor_lost', 'cursor_lost'])
    expect(await inbox.gaps.streams()).toHaveLength(2)
  })

  it('counts the stored pages if a later page fails', async () => {
    const { feed, pollerOf } = await setUp({ firstCursor: 'replay' })
    publish(feed, 1, 450)
    let requests = 0
    const failThird: typeof fetch = async (...request) => {
      requests += 1
      return requests === 3 ? new Response('{}', { status: 403 }) : await fetch(...request)
    }
    expect(await pollerOf({}, { fetch: failThird }).poll()).toMatchObject({
      outcome: 'suspended',
      pages: 2,
      stored: 250,
    })
  })

  it('stops if its filter is rejected [R218]', async () => {
    const { feed, pollerOf, codes, pass, stream } = await setUp()
    feed.alwaysFail = (response) => sendError(response, 400, 'invalid_request')
    await pollerOf().start()
    await expect.poll(stream).toMatchObject({ phase: 'suspended', code: 'invalid_request' })
    await pass(2 * day)
    expect(feed.requests).toHaveLength(1)
    expect(codes()).toEqual(['invalid_request'])
  })

  it('does not loop over pages that do not advance [R120]', async () => {
    const { feed, inbox, pollerOf, codes, pass, stream } = await setUp()
    publish(feed, 1, 1)
    const poller = pollerOf()
    await poller.start()
    await expect.poll(stream).toMatchObject({ phase: 'tailing' })
    const circle: Fault = (response, { query }) => {
      const [data, nextCursor] = [[makeEvent(2)], query.get('cursor')]
      response.end(JSON.stringify({ data, nextCursor, hasMore: true }))
    }
    feed.alwaysFail = circle
    await pass(minute)
    await expect.poll(stream).toMatchObject({ phase: 'suspended', code: 'bad_page' })
    expect(await idsIn(inbox)).toEqual(['evt_1', 'evt_2'])
    await pass(hour / 2)
    expect(feed.requests).toHaveLength(2)
    expect(codes()).toEqual(['bad_page'])

    feed.alwaysFail = null
    publish(feed, 3, 3)
    await pass(hour / 2)
    await expect.poll(() => idsIn(inbox)).toEqual(range(1, 3))
  })

  it.each<[string, (request: number) => object]>([
    ['go around in two cursors', (request) => ({ nextCursor: `c${request % 2}` })],
    ['are empty, with new cursors', () => ({ data: [] })],
    ['repeat a known event, with new cursors', () => ({})],
    ['have cursors that no database stores', () => ({ nextCursor: 'A\u0000' })],
  ])(
    'reads at most 102 pages that %s, and 11 in each later hour, and stores why it waits [R120]',
    async (_, pageFor) => {
      const { feed, inbox, pollerOf, codes, alerts, errors, pass, stream } = await setUp()
      publish(feed, 1, 1)
      const poller = pollerOf({ rereadIntervalMs: Infinity })
      await poller.start()
      await expect.poll(stream).toMatchObject({ phase: 'tailing' })
      feed.alwaysFail = (response) => {
        const page = {
          data: [makeEvent(1)],
          nextCursor: `new ${feed.requests.length}`,
          hasMore: true,
        }
        response.end(JSON.stringify({ ...page, ...pageFor(feed.requests.length) }))
      }
      await pass(minute)
      await expect.poll(stream).toMatchObject({ phase: 'suspended', code: 'bad_page' })
      await pass(hour - 1)
      expect(feed.requests.length).toBeLessThanOrEqual(1 + 102)
      await pass(2 * hour)
      await expect.poll(stream).toMatchObject({ phase: 'suspended', code: 'bad_page' })
      expect(feed.requests.length).toBeLessThanOrEqual(1 + 102 + 2 * 11)
      expect([codes(), errors]).toEqual([['bad_page'], []])
      expect(alerts[0]?.message).toContain(
        'The poller retries from the last stored page by itself.',
      )

      feed.alwaysFail = null
      publish(feed, 2, 2)
      await pass(hour)
      await expect.poll(() => idsIn(inbox)).toEqual(range(1, 2))
    },
  )

  it('stops at a rejected key, and continues with a new one without a restart [R196, R219]', async () => {
    const { feed, inbox, pollerOf, codes, pass, stream } = await setUp()
    publish(feed, 1, 1)
    let apiKey = 'feed_live_old'
    // A suspended poller compares the key at each interval.
    await pollerOf({ intervalMs: 10 * minute }, { apiKey: () => apiKey }).start()
    await expect.poll(stream).toMatchObject({ phase: 'suspended', code: 'unauthorized' })
    await pass(3 * hour)
    expect(feed.requests).toHaveLength(1)
    expect(codes()).toEqual(['unauthorized'])
    apiKey = 'feed_live_good'
    await pass(10 * minute)
    await expect.poll(() => idsIn(inbox)).toEqual(['evt_1'])
  })

  it('sends nothing with a rejected key, however often a scheduler calls poll', async () => {
    const { feed, pollerOf } = await setUp()
    publish(feed, 1, 1)
    let apiKey = 'feed_live_old'
    const poller = pollerOf({}, { apiKey: () => apiKey })
    for (let times = 1; times <= 5; times += 1) {
      expect(await poller.poll()).toMatchObject({ outcome: 'suspended', code: 'unauthorized' })
    }
    expect(feed.requests).toHaveLength(1)
    apiKey = 'feed_live_good'
    expect(await poller.poll()).toMatchObject({ outcome: 'caught_up', stored: 1 })
  })

  it('sends one request an hour without Pro access, however often a scheduler calls poll', async () => {
    const { feed, pollerOf, clock } = await setUp()
    feed.alwaysFail = (response) => sendError(response, 403, 'pro_required')
    for (let times = 1; times <= 5; times += 1) {
      expect(await pollerOf().poll()).toMatchObject({ outcome: 'suspended', code: 'forbidden' })
    }
    expect(feed.requests).toHaveLength(1)
    await clock.advance(hour)
    await pollerOf().poll()
    expect(feed.requests).toHaveLength(2)
  })

  it('tries a suspended stream once after a restart, even if its first round failed', async () => {
    const { feed, inbox, pollerOf } = await setUp()
    feed.failNext((response) => sendError(response, 400, 'invalid_request'))
    await pollerOf().poll()
    let isAway = true
    const take: PollInbox['streams']['take'] = async (stream, options) => {
      if (isAway) throw new Error('away')
      return await inbox.streams.take(stream, options)
    }
    const poller = pollerOf({ inbox: { ...inbox, streams: { ...inbox.streams, take } } })
    await expect(poller.poll()).rejects.toThrow('away')
    isAway = false
    feed.failNext((response) => sendError(response, 400, 'invalid_request'))
    for (let times = 1; times <= 3; times += 1) await poller.poll()
    expect(feed.requests).toHaveLength(2)
  })

  it('checks once an hour whether Pro access is back [R220]', async () => {
    const { feed, inbox, pollerOf, pass, stream } = await setUp()
    publish(feed, 1, 1)
    feed.alwaysFail = (response) => sendError(response, 403, 'pro_required')
    await pollerOf().start()
    await expect.poll(stream).toMatchObject({ phase: 'suspended', code: 'forbidden' })
    await pass(hour - 1)
    expect(feed.requests).toHaveLength(1)
    await pass(1)
    await expect.poll(() => feed.requests.length).toBe(2)
    feed.alwaysFail = null
    await pass(hour)
    await expect.poll(() => idsIn(inbox)).toEqual(['evt_1'])
  })

  it('waits a month for its quota, across restarts [R222]', async () => {
    const { feed, inbox, pollerOf, clock, codes, stream, pass } = await setUp()
    publish(feed, 1, 1)
    feed.failNext(limited('usage_period', 2_592_000))
    const first = pollerOf()
    await first.start()
    await expect.poll(stream).toMatchObject({
      phase: 'waiting',
      code: 'rate_limited',
      waitUntil: '2026-12-31T00:00:00.000Z',
    })
    await clock.advance(20 * day)
    await first.stop()
    expect(await pollerOf().poll()).toMatchObject({ outcome: 'waiting', code: 'rate_limited' })
    const second = pollerOf()
    await second.start()
    second.pollNow()
    await pass(10 * day - 1)
    expect(feed.requests).toHaveLength(1)
    expect(codes()).toEqual(['rate_limited'])
    await pass(1)
    await expect.poll(() => idsIn(inbox)).toEqual(['evt_1'])
  })

  it('continues after the service was unavailable [R223]', async () => {
    const { feed, inbox, pollerOf, pass, stream, clock } = await setUp()
    publish(feed, 1, 1)
    feed.alwaysFail = (response) => response.destroy()
    await pollerOf({}, { maxAttempts: 1 }).start()
    await expect.poll(stream).toMatchObject({ phase: 'waiting', code: 'unavailable' })
    await clock.advance(3 * hour)
    // Every five minutes, neither more nor less often.
    expect(feed.requests.length).toBeGreaterThan(3 * 12 - 2)
    expect(feed.requests.length).toBeLessThan(3 * 24 + 10)
    feed.alwaysFail = null
    await pass(10 * minute)
    await expect.poll(() => idsIn(inbox)).toEqual(['evt_1'])
  })

  it('polls less often if the monthly quota would run out [R118, R237]', async () => {
    const { feed, pollerOf, stream } = await setUp()
    feed.resetsAt = new Date(start + 30 * day).toISOString()
    const nextMs = async () => ((await pollerOf().poll()).nextAt?.getTime() ?? 0) - start
    expect(await nextMs()).toBe(minute)
    feed.used = 90_000 - 1
    expect(await nextMs()).toBe((30 * day) / (10_000 * 0.9))
    feed.used = 100_000 - 100
    expect(await nextMs()).toBe(hour)
    // By this, the health knows when a poll is missing.
    const waitUntil = new Date(start + hour).toISOString()
    expect(await stream()).toMatchObject({ phase: 'tailing', waitUntil })
    // By this clock the earlier month is over.
    feed.resetsAt = new Date(start - 1).toISOString()
    expect(await nextMs()).toBe(minute)
    feed.used = 100_000 - 1
    expect(await nextMs()).toBe(minute)
  })

  it('lets one process read at a time and another take over', async () => {
    const { feed, inbox, pollerOf, pass } = await setUp()
    const [one, two] = [pollerOf({ leaseMs: 300 }), pollerOf({ leaseMs: 300 })]
    await one.start()
    await expect.poll(() => feed.requests.length).toBe(1)
    await two.start()
    expect(await pollerOf().poll()).toMatchObject({ outcome: 'elsewhere' })
    await pass(hour / 2)
    const before = feed.requests.length
    await one.stop()
    publish(feed, 1, 1)
    await expect.poll(() => idsIn(inbox)).toEqual(['evt_1'])
    expect(feed.requests.length).toBe(before + 1)
  })

  it('renews its lease during a long round, and shares that round with concurrent calls', async () => {
    const { feed, pollerOf } = await setUp()
    let answer = () => {}
    feed.failNext((response) => {
      answer = () => sendError(response, 403, 'pro_required')
    })
    const poller = pollerOf({ leaseMs: 1_000 })
    const polls = Promise.all([poller.poll(), poller.poll()])
    await expect.poll(() => feed.requests.length).toBe(1)
    await poller.start()
    const other = pollerOf()
    for (let times = 1; times <= 4; times += 1) {
      await new Promise((resolve) => setTimeout(resolve, 400))
      expect(await other.poll()).toMatchObject({ outcome: 'elsewhere' })
    }
    answer()
    const [one, two] = await polls
    expect(one).toMatchObject({ code: 'forbidden' })
    expect(two).toBe(one)
    await poller.stop()
    expect(await other.poll()).toMatchObject({ code: 'forbidden' })
    expect(feed.requests).toHaveLength(1)
  })

  it('does not take its lease again after it released it, however slow a renewal is', async () => {
    const { feed, inbox, pollerOf } = await setUp()
    feed.failNext((response) => void setTimeout(sendError, 500, response, 403, 'pro_required'))
    let released = () => {}
    const releasing = new Promise<void>((resolve) => (released = resolve))
    const takes: Promise<unknown>[] = []
    const take: PollInbox['streams']['take'] = (stream, options) => {
      const taking = (async (before) => {
        if (before === 1) await Promise.race([releasing, delay(1_000)])
        return await inbox.streams.take(stream, options)
      })(takes.length)
      takes.push(taking)
      return taking
    }
    const release: PollInbox['streams']['release'] = (stream, holder) =>
      inbox.streams.release(stream, holder).finally(released)
    const slow = { ...inbox, streams: { ...inbox.streams, take, release } }
    const poller = pollerOf({ inbox: slow, leaseMs: 300 })
    await poller.poll()
    await Promise.all(takes)
    expect(takes.length).toBeGreaterThan(1)
    const lease = { holder: 'another process', leaseMs: minute }
    expect(await inbox.streams.take(poller.stream, lease)).not.toBeNull()
  })

  it('sends nothing if it is stopped while it starts', async () => {
    const { feed, inbox, pollerOf } = await setUp()
    publish(feed, 1, 1)
    let taken = () => {}
    const taking = new Promise<void>((resolve) => (taken = resolve))
    let goOn = () => {}
    const going = new Promise<void>((resolve) => (goOn = resolve))
    const take: PollInbox['streams']['take'] = async (stream, options) => {
      taken()
      await going
      return await inbox.streams.take(stream, options)
    }
    const poller = pollerOf({ inbox: { ...inbox, streams: { ...inbox.streams, take } } })
    await poller.start()
    await taking
    const stopped = poller.stop()
    goOn()
    await stopped
    expect(feed.requests).toEqual([])
  })

  it('takes over from a killed process when the lease expires, not before', async () => {
    const { feed, inbox, pollerOf } = await setUp()
    publish(feed, 1, 1)
    const { stream } = pollerOf()
    const holder = 'a process that was killed'
    await inbox.streams.take(stream, { holder, leaseMs: 400 })
    await pollerOf({ leaseMs: 1_000 }).start()
    await expect.poll(() => idsIn(inbox)).toEqual(['evt_1'])
    expect(await inbox.streams.take(stream, { holder, leaseMs: 400 })).toBeNull()
  })

  it('takes over a lease from before the clock of the database was set back', async () => {
    const { feed, inbox, pollerOf } = await setUp()
    publish(feed, 1, 1)
    const poller = pollerOf()
    await inbox.streams.take(poller.stream, { holder: 'killed', leaseMs: 6 * hour })
    expect(await poller.poll()).toMatchObject({ outcome: 'caught_up', stored: 1 })
  })

  it('polls as soon as a test delivery is accepted', async () => {
    const { feed, inbox, pollerOf } = await setUp()
    await pollerOf({ leaseMs: 60 }).start()
    await expect.poll(() => feed.requests.length).toBe(1)
    publish(feed, 1, 1)
    await inbox.accept(deliveryOf(makePushed({ type: 'destination_test' })))
    // The clock has not advanced.
    await expect.poll(() => inbox.entries.get('evt_1')).not.toBeNull()
    expect(feed.requests).toHaveLength(2)
  })

  it('quarantines an item that is not an event, and continues [R19]', async () => {
    const { feed, inbox, pollerOf, codes } = await setUp()
    publish(feed, 1, 1)
    feed.publish({ ...makeEvent(2), sourceUrl: 'sourceless' })
    publish(feed, 3, 3)
    await pollerOf().poll()
    expect(await idsIn(inbox)).toEqual(['evt_1', 'evt_3'])
    expect((await inbox.quarantined.list()).quarantined).toMatchObject([
      { reason: 'not_an_event', detail: 'sourceUrl: expected an absolute URI' },
    ])
    expect(codes()).toEqual(['unreadable_events'])
  })

  it('alerts once to items that cannot be read or stored, until the newest events have none', async () => {
    const { feed, inbox, pollerOf, codes, clock } = await setUp()
    publish(feed, 1, 1)
    feed.publish(makeEvent(2, { id: 'evt_\u0000' }))
    const poller = pollerOf()
    await poller.poll()
    expect(codes()).toEqual(['unreadable_events'])
    for (const number of [3, 4]) {
      feed.publish({ ...makeEvent(number), sourceUrl: 'sourceless' })
      await poller.poll()
    }
    await clock.advance(hour)
    await poller.poll()
    expect(codes()).toEqual(['unreadable_events'])
    expect((await inbox.quarantined.list()).quarantined).toHaveLength(3)
    expect(await idsIn(inbox)).toEqual(['evt_1'])

    publish(feed, 5, 205)
    await poller.poll()
    await clock.advance(hour)
    await poller.poll()
    feed.publish({ ...makeEvent(206), sourceUrl: 'sourceless' })
    await poller.poll()
    expect(codes()).toEqual(['unreadable_events', 'unreadable_events'])
  })

  it('reports a probable pause with the last answer of the receiver', async () => {
    const { feed, inbox, pollerOf, alerts, pass } = await setUp()
    const answers = rememberAnswers(() => {})
    const expects = ({ type }: { type: string }) => type === 'outage_started'
    // The alert does not depend on rereads.
    const every = { intervalMs: 10 * minute, rereadIntervalMs: Infinity }
    await pollerOf({ expects, lastAnswer: answers.last, ...every }).start()
    await expect.poll(() => feed.requests.length).toBe(1)
    answers.observe({ status: 401, reason: 'signature_mismatch', durationMs: 1, notes: [] })
    // From a network scanner.
    answers.observe({ status: 401, reason: 'signature_missing', durationMs: 1, notes: [] })
    answers.observe({ status: 401, reason: 'signature_malformed', durationMs: 1, notes: [] })
    const firstObservedAt = new Date(start + minute).toISOString()
    feed.publish(makeEvent(1, { firstObservedAt, eventType: 'outage_started' }))
    feed.publish(makeEvent(2, { firstObservedAt }))
    await pass(10 * minute)
    await expect.poll(() => idsIn(inbox)).toHaveLength(2)
    await pass(hour)
    expect(alerts).toEqual([])
    await pass(hour)
    await expect.poll(() => alerts).toMatchObject([{ code: 'probable_pause' }])
    expect(alerts[0]?.message).toMatch(/1 events .* last answered 401 \(signature_mismatch\)/)
    const counts = await inbox.gaps.count({ asOf: new Date(start + 3 * hour) })
    expect(counts).toMatchObject({ missed: { count: 1 }, pullOnly: { count: 1 } })
    await pass(hour)
    expect(alerts).toHaveLength(1)
  })

  it('stops during a request, can be started again, and survives a closed inbox', async () => {
    const { feed, inbox, poller, errors, pass } = await setUpUnanswered()
    publish(feed, 1, 1)
    await poller.stop()
    await poller.stop()
    expect(errors).toEqual([])
    await inbox.stop()
    await poller.start()
    await poller.start()
    await expect.poll(() => errors.length).toBe(1)
    expect(errors[0]).toMatchObject({ code: 'not_running' })
    await inbox.start()
    await pass(minute)
    await expect.poll(() => idsIn(inbox)).toEqual(['evt_1'])
  })

  it('stops although the function for the key never answers', async () => {
    const { feed, pollerOf, stream } = await setUp()
    feed.keys.clear()
    let asked = 0
    let isFrozen = true
    const apiKey = () => {
      asked += 1
      return isFrozen ? new Promise<string>(() => {}) : 'feed_live_good'
    }
    const poller = pollerOf({}, { apiKey })
    await poller.start()
    await expect.poll(() => asked).toBe(1)
    await poller.stop()
    isFrozen = false
    await poller.start()
    await expect.poll(stream).toMatchObject({ code: 'unauthorized' })
    isFrozen = true
    asked = 0
    poller.pollNow()
    await expect.poll(() => asked).toBe(1)
    await poller.stop()
  })

  it('starts again while it stops', async () => {
    const { feed, inbox, poller, pass } = await setUpUnanswered()
    const stopped = poller.stop()
    await poller.start()
    await stopped
    await expect.poll(() => feed.requests.length).toBe(2)
    publish(feed, 1, 1)
    await pass(minute)
    await expect.poll(() => idsIn(inbox)).toEqual(['evt_1'])
  })

  it('stays stopped if it is stopped again after a start that waits for a stop', async () => {
    const { feed, inbox, poller, clock } = await setUpUnanswered()
    const calls = [poller.stop(), poller.start(), poller.stop()]
    await calls.at(-1)
    await Promise.all(calls)
    const lease = { holder: 'another process', leaseMs: minute }
    expect(await inbox.streams.take(poller.stream, lease)).not.toBeNull()
    await clock.advance(hour)
    await delay(200)
    expect(feed.requests).toHaveLength(1)
  })

  it('polls after a stop in progress', async () => {
    const { feed, inbox, poller } = await setUpUnanswered()
    publish(feed, 1, 1)
    const stopped = poller.stop()
    expect(await poller.poll()).toMatchObject({ outcome: 'caught_up' })
    await stopped
    expect(await idsIn(inbox)).toEqual(['evt_1'])
  })

  it('has released the stream of a poll when it has stopped', async () => {
    const { feed, inbox, pollerOf } = await setUp()
    feed.failNext(() => {})
    let hasReleased = false
    const release: PollInbox['streams']['release'] = async (stream, holder) => {
      await inbox.streams.release(stream, holder)
      hasReleased = true
    }
    const poller = pollerOf({ inbox: { ...inbox, streams: { ...inbox.streams, release } } })
    const polls = Promise.allSettled([poller.poll(), poller.poll()])
    await expect.poll(() => feed.requests.length).toBe(1)
    await poller.stop()
    expect(hasReleased).toBe(true)
    expect(await polls).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }])
  })

  it.each<[string, (error: unknown) => unknown]>([
    [
      'throw',
      (error) => {
        throw error
      },
    ],
    ['reject', (error) => Promise.reject(error)],
  ])('continues if its callbacks %s, and sends an alert again', async (_, fail) => {
    const emit = vi.spyOn(process, 'emitWarning').mockReturnValue()
    const { feed, inbox, pollerOf, clock, pass } = await setUp()
    publish(feed, 1, 1)
    let isAway = true
    const take: PollInbox['streams']['take'] = async (stream, options) => {
      if (isAway) throw new Error('away')
      return await inbox.streams.take(stream, options)
    }
    const errors: unknown[] = []
    const codes: string[] = []
    await pollerOf({
      inbox: { ...inbox, streams: { ...inbox.streams, take } },
      onError: (error) => (errors.push(error), fail(error)),
      onAlert: ({ code }) => (codes.push(code), fail('no channel')),
    }).start()
    await expect.poll(() => errors).toEqual([new Error('away')])
    isAway = false
    feed.alwaysFail = (response) => sendError(response, 403, 'pro_required')
    await clock.advance(minute)
    await expect.poll(() => codes).toEqual(['forbidden'])
    await pass(hour)
    await expect.poll(() => codes).toEqual(['forbidden', 'forbidden'])
    feed.alwaysFail = null
    await pass(hour)
    await expect.poll(() => idsIn(inbox)).toEqual(['evt_1'])
    expect(errors.slice(1)).toEqual(['no channel', 'no channel'])
    const warnings = emit.mock.calls.map(([warning]) => warning)
    expect(warnings).toEqual(['Error: away', 'no channel', 'no channel'])
  })

  it.each([
    { intervalMs: 0 },
    { intervalMs: Infinity },
    { leaseMs: -1 },
    { leaseMs: Infinity },
    { rereadIntervalMs: Number.NaN },
  ])('rejects %o', async (options) => {
    const { pollerOf } = await setUp()
    expect(() => pollerOf(options)).toThrow(Object.keys(options)[0] ?? '')
  })

  /** A poller whose first request gets no answer. */
  async function setUpUnanswered() {
    const given = await setUp()
    given.feed.failNext(() => {})
    const poller = given.pollerOf()
    await poller.start()
    await expect.poll(() => given.feed.requests.length).toBe(1)
    return { ...given, poller }
  }
})
