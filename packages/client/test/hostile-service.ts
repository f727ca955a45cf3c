import { gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { deliveryOf } from '../../../test/contract/delivery-inbox.ts'
import { makeEvent as makePushed } from '../../../test/contract/harness.ts'
import { seededRandom } from '../../sandbox/src/seed/random.ts'
import { makeEvent } from './make-event.ts'
import { hour, idsIn, minute, type pollerSetup } from './poller-setup.ts'
import { limited, passingFaults, sendError, type Fault } from './serve-feed.ts'

const eventsPerStep = 3

/** A round a minute and the rereads cost 66, 102 pages may lead nowhere, and some are retries. */
export const mostInAnHour = 200

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

/** The time of day of the poller; the faults are made before its clock. */
let nowOfTest = () => 0
const bomb = gzipSync(Buffer.alloc(2 ** 20 + 1, ' '))
let made = 0

const faults: Fault[] = [
  ...Object.values(passingFaults),
  limited('burst', 0),
  limited('burst', 4),
  limited('anything', 900),
  page(() => ({})),
  page(() => ({ usage: spent })),
  page(() => ({
    usage: { ...spent, resetsAt: new Date(nowOfTest() + 1_000).toISOString() },
  })),
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

interface Meeting {
  seed: string
  firstCursor: 'tail' | 'replay'
  /** How often each fault lasts for a while. @default 1 */
  rounds?: number
  /** Called after each round. */
  onRound?: () => void
}

/**
 * Lets a poller read from a service that answers at random. Returns the ids of all events, of those
 * that were handled, and the most requests in an hour.
 */
export async function meetHostileService(
  setUp: ReturnType<typeof pollerSetup>,
  { seed, firstCursor, rounds = 1, onRound }: Meeting,
): Promise<{ published: string[]; handled: string[]; errors: unknown[]; mostRequests: number }> {
  const random = seededRandom(seed)
  const { feed, inbox, pollerOf, clock, errors, stream, timeOfDay } = await setUp({ firstCursor })
  nowOfTest = timeOfDay.clock.now
  const requests: number[] = []
  /** Answers each request; without one, any fault answers now and then. */
  let spell: Fault | undefined
  feed.meddle = () => {
    requests.push(clock.now())
    return spell ?? (random.chance(0.3) ? random.pick(faults) : null)
  }
  // Otherwise it would wait for most of the time.
  const probes = { probeIntervalMs: 3 * minute, rereadIntervalMs: 10 * minute }
  await pollerOf(probes, { maxAnswerBytes: 2 ** 20, clock: timeOfDay.clock }).start()
  let published = 0
  async function publishAndPass() {
    for (let times = 0; times < eventsPerStep; times += 1) {
      feed.publish(makeEvent((published += 1)))
      const pushed = deliveryOf(makePushed({ id: `evt_${published}` }))
      if (random.chance(0.3)) await inbox.accept(pushed)
    }
    await clock.advance(10 * minute)
  }
  const spells = faults.filter((_, at) => at % 2 === Number(firstCursor === 'tail'))
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, fault] of spells.entries()) {
      if (at === spells.length / 2) timeOfDay.setBack(6 * hour)
      await publishAndPass()
      spell = fault
      const before = requests.length
      while (requests.length === before) await clock.advance(minute)
      await publishAndPass()
      spell = undefined
    }
    onRound?.()
  }
  const mostRequests = mostWithin(hour, requests)

  feed.meddle = null
  const all = Array.from({ length: published }, (_, at) => `evt_${at + 1}`).toSorted()
  const read = async () => {
    await clock.advance(10 * minute)
    return (await idsIn(inbox)).toSorted()
  }
  await expect.poll(read, { interval: 10 }).toEqual(all)
  await expect.poll(stream).toMatchObject({ phase: 'tailing', code: null })
  const handled: string[] = []
  await inbox.drain({ '*': ({ id }) => handled.push(id) }, { forMs: 60_000 })
  return { published: all, handled: handled.toSorted(), errors, mostRequests }
}

/** How many of these times, in order, are within a span at most. */
function mostWithin(spanMs: number, times: number[]): number {
  let first = 0
  const counts = times.map((at, index) => {
    while ((times[first] ?? at) <= at - spanMs) first += 1
    return index + 1 - first
  })
  return Math.max(...counts)
}
