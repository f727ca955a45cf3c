import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent as makePushed } from '../../../../test/contract/harness.ts'
import { useDatabase } from '../../../../test/support/databases.ts'
import { seededRandom } from '../../../sandbox/src/seed/random.ts'
import { makeEvent } from '../../test/make-event.ts'
import { hour, idsIn, minute, place } from '../../test/poll-place.ts'
import { limited, passingFaults, sendError, type Fault } from '../../test/serve-feed.ts'

const hours = 4
const eventsPerStep = 3

const usage = { requests: 1, limit: 9, period: '2026-12', resetsAt: '2026-12-01T00:00:00Z' }
const spent = { ...usage, requests: 9, resetsAt: '9999-12-31T00:00:00Z' }

/** Answers a page that skips no event: it leads to the requested position, or to none. */
const page =
  (make: (cursor: string | null) => object): Fault =>
  (response, { query }) => {
    const cursor = query.get('cursor')
    const body = { data: [], nextCursor: cursor, hasMore: false, usage, ...make(cursor) }
    response.end(JSON.stringify(body))
  }

const bomb = gzipSync(Buffer.alloc(2 ** 20 + 1, ' '))
let made = 0

const faults: Fault[] = [
  ...Object.values(passingFaults),
  limited('burst', 0),
  limited('burst', 4),
  limited('anything', 900),
  page(() => ({})),
  page(() => ({ usage: spent })),
  page(() => ({ hasMore: true })),
  page(() => ({ hasMore: true, nextCursor: `made up ${(made += 1)}` })),
  page(() => ({ hasMore: true, nextCursor: `around ${(made += 1) % 3}` })),
  page(() => ({ nextCursor: 'A\u0000' })),
  page(() => ({ nextCursor: '\ud800' })),
  page(() => ({ usage: { ...usage, requests: -1, period: '\u0000' } })),
  page(() => ({ data: [null, 7, { id: 'evt_\u0000' }, makeEvent(1, { id: 'evt_\u0000' })] })),
  page(() => ({ data: [makeEvent(1), makeEvent(1), makeEvent(2)] })),
  (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  (response) => sendError(response, 403, '\u0000'),
  (response) => sendError(response, 404, 'x'.repeat(9_999)),
  // A poller without a cursor would wait for a person, because its filter is wrong.
  (response, { query }) => sendError(response, query.has('cursor') ? 400 : 500, 'invalid_request'),
]

describe('with a service that answers at random, a poller', () => {
  const setUp = place(useDatabase('postgres', 'inbox'))

  it.each(['one', 'two', 'three'])(
    'loses and repeats no event, and keeps to the limits of the service: seed %s [R119, R222]',
    async (seed) => {
      const random = seededRandom(`hostile ${seed}`)
      const { feed, inbox, pollerOf, clock, errors, stream, timeOfDay } = await setUp({
        firstCursor: random.chance(0.5) ? 'tail' : 'replay',
      })
      const requests: number[] = []
      feed.meddle = () => {
        requests.push(clock.now())
        return random.chance(0.3) ? random.pick(faults) : null
      }
      // Otherwise it would wait for most of the time.
      const probes = { probeIntervalMs: minute, sweepIntervalMs: 10 * minute }
      await pollerOf(probes, { maxAnswerBytes: 2 ** 20, clock: timeOfDay.clock }).start()
      let published = 0
      for (let step = 0; step < hours * 6; step += 1) {
        for (let times = 0; times < eventsPerStep; times += 1) {
          feed.publish(makeEvent((published += 1)))
          const pushed = deliveryOf(makePushed({ id: `evt_${published}` }))
          if (random.chance(0.3)) await inbox.accept(pushed)
        }
        if (step === hours) timeOfDay.setBack(6 * hour)
        await clock.advance(10 * minute)
      }
      expect(requests.length).toBeGreaterThan(50)
      // Each minute of the service may have the ends of two minutes of the client.
      for (const [index, at] of requests.entries()) {
        const after = requests.findIndex((other) => other >= at + hour)
        expect((after < 0 ? requests.length : after) - index).toBeLessThanOrEqual(61 * 120)
      }

      feed.meddle = null
      const all = Array.from({ length: published }, (_, at) => `evt_${at + 1}`).toSorted()
      const read = async () => {
        await clock.advance(hour)
        return (await idsIn(inbox)).toSorted()
      }
      await expect.poll(read, { interval: 10 }).toEqual(all)
      await expect.poll(stream).toMatchObject({ phase: 'tailing', code: null })
      const handled: string[] = []
      await inbox.drain({ '*': ({ id }) => handled.push(id) }, { forMs: 60_000 })
      expect(handled.toSorted()).toEqual(all)
      expect(errors).toEqual([])
    },
  )
})
