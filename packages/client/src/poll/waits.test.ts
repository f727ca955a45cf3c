import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { useDatabase } from '../../../../test/support/databases.ts'
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

describe('the waits of a poller', () => {
  const database = useDatabase('postgres', 'inbox')
  const setUp = pollerSetup(database)

  it('last an hour, are stored and alerted if an answer says that the quota is used up [R118]', async () => {
    const { feed, inbox, pollerOf, codes, pass, stream } = await setUp()
    publish(feed, 1, 1)
    feed.used = feed.allowance
    feed.resetsAt = '9999-12-31T00:00:00Z'
    await pollerOf({ rereadIntervalMs: Infinity }).start()
    await expect.poll(stream).toMatchObject({
      phase: 'waiting',
      code: 'quota_exhausted',
      waitUntil: new Date(start + hour).toISOString(),
    })
    publish(feed, 2, 2)
    await pass(hour - 1)
    expect(feed.requests).toHaveLength(1)
    await pass(1)
    await expect.poll(() => idsIn(inbox)).toEqual(['evt_1', 'evt_2'])
    await expect.poll(stream).toMatchObject({ code: 'quota_exhausted' })
    expect(codes()).toEqual(['quota_exhausted'])

    feed.used = 0
    await pass(hour)
    await expect.poll(stream).toMatchObject({ phase: 'tailing', code: null })
    feed.used = feed.allowance
    await pass(minute)
    await expect.poll(codes).toEqual(['quota_exhausted', 'quota_exhausted'])
  })

  it.each([
    ['with the month, by its own clock, if that is sooner', 10 * minute, 10 * minute],
    ['no sooner than the next poll, even if the month always ends in a second', 1_000, minute],
  ])('end %s', async (_, monthMs, waitMs) => {
    const { feed, pollerOf } = await setUp()
    feed.used = feed.allowance
    feed.resetsAt = new Date(start + monthMs).toISOString()
    expect(await pollerOf().poll()).toMatchObject({
      outcome: 'waiting',
      nextAt: new Date(start + waitMs),
    })
  })

  it('last as long as probeIntervalMs says, even if no quota lasts as long', async () => {
    const { feed, pollerOf, clock } = await setUp()
    feed.alwaysFail = (response) => sendError(response, 403, 'pro_required')
    const poller = pollerOf({ probeIntervalMs: 40 * day })
    for (const passedMs of [0, minute, 40 * day - minute - 1]) {
      await clock.advance(passedMs)
      expect(await poller.poll()).toMatchObject({ outcome: 'suspended', code: 'forbidden' })
      expect(feed.requests).toHaveLength(1)
    }
    await clock.advance(1)
    await poller.poll()
    expect(feed.requests).toHaveLength(2)
  })

  it.each([0, 1, 4])(
    'grow to a minute, are stored and alerted if each answer is a 429 with Retry-After: %d [R222]',
    async (retryAfter) => {
      const { feed, pollerOf, codes, clock, pass, stream } = await setUp()
      feed.alwaysFail = limited('burst', retryAfter)
      await pollerOf().start()
      // A short wait is part of the request.
      await clock.advance(8_000)
      await expect.poll(stream).toMatchObject({ phase: 'waiting', code: 'rate_limited' })
      expect(codes()).toEqual([])
      await pass(20 * minute)
      expect(feed.requests.length).toBeGreaterThan(20)
      expect(feed.requests.length).toBeLessThan(50)
      expect(await stream()).toMatchObject({ phase: 'waiting', code: 'rate_limited' })
      expect(codes()).toEqual(['rate_limited'])
    },
  )

  it('grow to an hour if the service keeps rejecting its own cursors', async () => {
    const { feed, inbox, pollerOf, codes, pass, stream } = await setUp()
    publish(feed, 1, 1)
    const poller = pollerOf()
    await poller.start()
    await expect.poll(stream).toMatchObject({ phase: 'tailing' })
    feed.isForgetful = true
    await pass(minute)
    await expect.poll(() => inbox.gaps.streams()).toHaveLength(1)
    publish(feed, 2, 2)
    await pass(minute)
    await expect.poll(stream).toMatchObject({
      phase: 'waiting',
      code: 'cursor_lost',
      waitUntil: new Date(start + 4 * minute).toISOString(),
    })
    // An event is still read, if later.
    await expect.poll(() => idsIn(inbox)).toEqual(range(1, 2))
    await pass(6 * hour)
    expect((await inbox.gaps.streams()).length).toBeLessThan(14)
    expect(codes()).toEqual(['cursor_lost'])
    expect(await stream()).toMatchObject({ phase: 'waiting', code: 'cursor_lost' })

    feed.isForgetful = false
    await pass(hour)
    await expect.poll(stream).toMatchObject({ phase: 'tailing', code: null })
  })

  it('do not become a suspension if the service also rejects the cursor of the newest events', async () => {
    const { feed, inbox, pollerOf, clock } = await setUp({ firstCursor: 'replay' })
    publish(feed, 1, 260)
    feed.isForgetful = true
    const poller = pollerOf()
    expect(await poller.poll()).toMatchObject({ outcome: 'caught_up', stored: 200 })
    expect(await poller.poll()).toMatchObject({ outcome: 'waiting', code: 'cursor_lost' })
    feed.isForgetful = false
    await clock.advance(hour)
    expect(await poller.poll()).toMatchObject({ outcome: 'caught_up', code: null })
    expect((await idsIn(inbox)).toSorted()).toEqual(range(1, 260).toSorted())
  })

  it('for a person stay a problem of the health while another poller joins', async () => {
    const { feed, inbox, pollerOf, clock, stream } = await setUp()
    feed.failNext((response) => sendError(response, 400, 'invalid_request'))
    await pollerOf({ filter: { type: 'misspelt' } }).start()
    await expect.poll(stream).toMatchObject({ phase: 'suspended', code: 'invalid_request' })
    // As if that had been an hour ago.
    await expect
      .poll(async () => {
        const { rowCount } = await database().query(
          `update feed_inbox.poll_stream set started_at = now() - interval '1 hour',
             lease_until = now() - interval '1 hour'
           where source = $1 and lease_holder is null`,
          [inbox.source],
        )
        return rowCount
      })
      .toBe(1)
    await pollerOf().start()
    await expect.poll(() => inbox.streams.list()).toHaveLength(2)
    await clock.advance(minute)
    const problems = async () => (await inbox.health()).problems.map(({ code }) => code)
    await expect.poll(problems).toEqual(['pull_suspended'])
    expect(feed.requests.filter(({ query }) => query.get('type') === 'misspelt')).toHaveLength(1)
  })

  describe('do not change if the time is set back by six hours:', () => {
    it('between two polls, and between two rereads', async () => {
      const { feed, inbox, pollerOf, pass, timeOfDay } = await setUp()
      publish(feed, 1, 2)
      const intervalMs = 15 * minute
      await pollerOf({ intervalMs }, { clock: timeOfDay.clock }).start()
      await expect.poll(() => feed.requests.length).toBe(1)
      timeOfDay.setBack(6 * hour)
      publish(feed, 3, 3)
      await pass(intervalMs)
      await expect.poll(async () => (await idsIn(inbox)).toSorted()).toEqual(range(1, 3))
      feed.edit(makeEvent(1, { title: 'Better', correctedAt: '2026-12-01T00:00:30Z' }))
      await pass(hour)
      await expect.poll(() => inbox.entries.get('evt_1')).toMatchObject({ title: 'Better' })
    })

    it.each<[string, Fault]>([
      ['rate_limited', limited('burst', 60)],
      ['forbidden', (response) => sendError(response, 403, 'pro_required')],
    ])('after %s, for a scheduler and a poller that runs', async (code, fault) => {
      for (const isRunning of [true, false]) {
        const { feed, inbox, pollerOf, clock, pass, stream, timeOfDay } = await setUp()
        publish(feed, 1, 1)
        feed.failNext(fault)
        const poller = pollerOf({ probeIntervalMs: minute }, { clock: timeOfDay.clock })
        await (isRunning ? poller.start() : poller.poll())
        await expect.poll(stream).toMatchObject({ code })
        timeOfDay.setBack(6 * hour)
        if (isRunning) {
          // The state is stored before the wait begins, which may miss some minutes.
          const requestsLater = async () => {
            await pass(minute)
            return feed.requests.length
          }
          await expect.poll(requestsLater).toBeGreaterThan(1)
        } else {
          await clock.advance(minute - 1)
          await poller.poll()
          expect(feed.requests).toHaveLength(1)
          await clock.advance(1)
          await poller.poll()
        }
        await expect.poll(() => idsIn(inbox)).toEqual(['evt_1'])
      }
    })

    it('between a round and its wait', async () => {
      const { feed, inbox, pollerOf, clock, timeOfDay } = await setUp()
      publish(feed, 1, 1)
      feed.failNext(limited('burst', 60))
      let isReleased = false
      const release: typeof inbox.streams.release = async (...given) => {
        timeOfDay.setBack(6 * hour)
        await inbox.streams.release(...given)
        isReleased = true
      }
      const slow = { ...inbox, streams: { ...inbox.streams, release } }
      await pollerOf({ inbox: slow }, { clock: timeOfDay.clock }).start()
      await expect.poll(() => isReleased).toBe(true)
      const requestsLater = () => clock.advance(minute).then(() => feed.requests.length)
      await expect.poll(requestsLater).toBeGreaterThan(1)
      expect(clock.now() - start).toBeLessThan(hour)
    })

    it('after an error of the database', async () => {
      const { feed, inbox, pollerOf, errors, clock, timeOfDay } = await setUp()
      publish(feed, 1, 1)
      await inbox.stop()
      await pollerOf({}, { clock: timeOfDay.clock }).start()
      await expect.poll(() => errors.length).toBe(1)
      timeOfDay.setBack(6 * hour)
      await inbox.start()
      await clock.advance(minute)
      await expect.poll(() => idsIn(inbox)).toEqual(['evt_1'])
    })
  })

  it('warn of the same error once a minute without onError', async () => {
    const emit = vi.spyOn(process, 'emitWarning').mockReturnValue()
    onTestFinished(() => emit.mockRestore())
    const { inbox, pollerOf, clock } = await setUp()
    let text = 'down'
    let tries = 0
    const take = () => {
      tries += 1
      return Promise.reject(new Error(text))
    }
    const away = { ...inbox, streams: { ...inbox.streams, take } }
    await pollerOf({ inbox: away, onError: undefined }, { random: () => 1 }).start()
    await expect.poll(() => tries).toBe(1)
    const passUntil = async (count: number) => {
      await expect.poll(() => clock.advance(1_000).then(() => tries)).toBeGreaterThanOrEqual(count)
    }
    const warnings = () => emit.mock.calls.map(([warning]) => warning)
    await passUntil(4)
    expect(clock.now() - start).toBeLessThan(minute)
    expect(warnings()).toEqual(['Error: down'])
    text = 'locked'
    await passUntil(5)
    await expect.poll(warnings).toEqual(['Error: down', 'Error: locked'])
    text = 'down'
    const later = () => clock.advance(minute).then(warnings)
    await expect.poll(later).toEqual(['Error: down', 'Error: locked', 'Error: down'])
  })

  it('that another process stored ahead of any period are ignored', async () => {
    const { feed, inbox, pollerOf } = await setUp()
    publish(feed, 1, 1)
    const poller = pollerOf()
    const holder = 'of another time'
    await inbox.streams.take(poller.stream, { holder, leaseMs: 30_000 })
    const waitUntil = new Date(start + 32 * day)
    await inbox.streams.note(poller.stream, holder, { phase: 'waiting', code: 'any', waitUntil })
    await inbox.streams.release(poller.stream, holder)
    expect(await poller.poll()).toMatchObject({ outcome: 'caught_up', stored: 1 })
  })
})
