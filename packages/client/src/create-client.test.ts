import { virtualClock } from '@feed-receiver/sender/testing'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { inspect } from 'node:util'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { redirectStatuses, serveRedirect } from '../../../test/support/serve-redirect.ts'
import { makeAccountEvent, makeEvent } from '../test/make-event.ts'
import {
  limited,
  passingFaults,
  sendError,
  serveFeed,
  type Fault,
  type ServedFeed,
} from '../test/serve-feed.ts'
import { ClientError, createClient, type ClientOptions, type Stream } from './index.ts'

const start = Date.parse('2026-12-01T00:00:00Z')

function clientOf(feed: ServedFeed, options: Partial<ClientOptions> = {}) {
  const clock = virtualClock({ start, autoAdvance: true })
  const { baseUrl } = feed
  const client = createClient({
    baseUrl,
    apiKey: 'feed_live_good',
    clock,
    random: () => 1,
    ...options,
  })
  return { client, clock }
}

function publish(feed: ServedFeed, count: number) {
  for (let number = 1; number <= count; number += 1) feed.publish(makeEvent(number))
}

async function idsOf(stream: Stream<{ id: string }>): Promise<string[]> {
  const ids: string[] = []
  for await (const { id } of stream) ids.push(id)
  return ids
}

async function errorOf(promise: Promise<unknown>): Promise<ClientError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ClientError)) throw new Error(`no ClientError: ${String(error)}`)
  return error
}

describe('events', () => {
  it('start with the newest 50 if the first cursor marks the newest event [R114]', async () => {
    const feed = await serveFeed({ firstCursor: 'tail' })
    publish(feed, 60)
    const { client } = clientOf(feed)
    const page = await client.eventPage()
    expect(page.items.map(({ id }) => id).slice(0, 2)).toEqual(['evt_60', 'evt_59'])
    expect(page.items).toHaveLength(50)
    expect(feed.requests[0]?.query.get('limit')).toBe('50')

    feed.publish(makeEvent(61))
    const next = await client.eventPage({ cursor: page.cursor })
    expect(next.items.map(({ id }) => id)).toEqual(['evt_61'])
  })

  it('are read over all pages if the first cursor marks the oldest event [R117]', async () => {
    const feed = await serveFeed({ firstCursor: 'replay' })
    publish(feed, 7)
    const { client } = clientOf(feed)
    const ids = await idsOf(client.events({ limit: 3 }))
    expect(ids.slice(0, 3)).toEqual(['evt_7', 'evt_6', 'evt_5'])
    expect(ids.slice(3)).toEqual([1, 2, 3, 4, 5, 6, 7].map((number) => `evt_${number}`))
  })

  it('match the filter and preserve unknown values [R21, R210]', async () => {
    const feed = await serveFeed()
    const strange = makeEvent(1, { eventType: 'Quantum.Leap ⚛', evidenceState: 'overheard' })
    feed.publish({ ...strange, another: { deep: [1] } } as typeof strange)
    feed.publish(makeEvent(2, { confirmationState: 'unconfirmed' }))
    feed.publish(makeEvent(3, { providerSlug: 'contoso' }))
    const { client } = clientOf(feed)
    const page = await client.eventPage({ type: 'Quantum.Leap ⚛', provider: 'northwind-ai' })
    expect(page.items).toEqual([{ ...strange, another: { deep: [1] } }])
    expect(await idsOf(client.events({ confirmation: 'all', limit: 10 }))).toHaveLength(3)
    expect(await idsOf(client.events({ provider: 'contoso' }))).toEqual(['evt_3'])
    expect(feed.requests.some(({ query }) => query.has('after'))).toBe(false)
  })

  it('are skipped with a warning if they cannot be read [R19]', async () => {
    const feed = await serveFeed()
    feed.publish(makeEvent(1))
    feed.publish({ ...makeEvent(2), sourceUrl: 'sourceless' })
    const warnings: string[] = []
    const { client } = clientOf(feed, { onWarning: (warning) => warnings.push(warning) })
    expect(await idsOf(client.events())).toEqual(['evt_1'])
    expect(warnings).toEqual([expect.stringContaining('sourceUrl: expected an absolute URI')])
    const { unreadable } = await client.eventPage()
    expect(unreadable).toMatchObject([{ value: { id: 'evt_2' } }])
  })

  it('keep the requested cursor if the last page has none [R98, R121]', async () => {
    const feed = await serveFeed()
    feed.failNext(pageOf({ nextCursor: null, hasMore: false }))
    const { client } = clientOf(feed)
    expect(await client.eventPage({ cursor: 'mine' })).toMatchObject({ cursor: 'mine' })
  })

  it.each([
    ['none', null],
    ['the requested one', 'mine'],
  ])('throw bad_page if a page has more and its cursor is %s [R120]', async (_, nextCursor) => {
    const feed = await serveFeed()
    feed.alwaysFail = pageOf({ data: [makeEvent(1)], nextCursor, hasMore: true })
    const { client } = clientOf(feed)
    const seen: string[] = []
    const error = await errorOf(
      (async () => {
        for await (const { id } of client.events({ cursor: 'mine' })) seen.push(id)
      })(),
    )
    expect(error.code).toBe('bad_page')
    expect(seen).toEqual(['evt_1'])
    expect(feed.requests).toHaveLength(1)
  })

  it.each<[string, number, (request: number) => object]>([
    ['go around in two cursors', 4, (request) => ({ nextCursor: `c${request % 2}` })],
    [
      'go around in seven cursors, after ten others',
      40,
      (request) => ({ nextCursor: `c${request < 10 ? request : 10 + (request % 7)}` }),
    ],
    ['are empty, with new cursors', 101, () => ({})],
    [
      'repeat known events in any order, with new cursors',
      105,
      (request) => ({ data: [makeEvent((request * 7) % 2), makeEvent((request * 3) % 5)] }),
    ],
    ['have only items that cannot be read', 101, (request) => ({ data: [{ id: `${request}` }] })],
  ])('throw bad_page if pages %s [R120]', async (_, most, pageFor) => {
    const feed = await serveFeed()
    feed.alwaysFail = (response, request) => {
      const page = pageFor(feed.requests.length)
      const nextCursor = `cursor ${feed.requests.length}`
      pageOf({ nextCursor, hasMore: true, ...page })(response, request)
    }
    const { client, clock } = clientOf(feed, { onWarning: () => {} })
    const error = await errorOf(idsOf(client.events()))
    expect(error.code).toBe('bad_page')
    expect(error.message).toContain('Continue later from the cursor of the last page')
    expect(feed.requests.length).toBeLessThanOrEqual(most)
    expect(clock.now()).toBe(start)
  })

  it('are read over any number of pages that have a new event now and then', async () => {
    const feed = await serveFeed()
    feed.alwaysFail = (response, request) => {
      const number = feed.requests.length
      const data = number % 99 === 0 ? [makeEvent(number)] : []
      const page = { data, nextCursor: `cursor ${number}`, hasMore: number < 99 * 4 }
      pageOf(page)(response, request)
    }
    const { client } = clientOf(feed)
    expect(await idsOf(client.events())).toEqual(['evt_99', 'evt_198', 'evt_297', 'evt_396'])
  })

  it.each([
    ['a NUL', 'A\u0000'],
    ['a line break', 'A\nB'],
    ['half a surrogate', 'A\ud800'],
    ['no character', ''],
    ['4,097 characters', 'A'.repeat(4_097)],
  ])('throw bad_page if a cursor has %s', async (_, nextCursor) => {
    const feed = await serveFeed()
    feed.failNext(pageOf({ nextCursor }))
    const error = await errorOf(clientOf(feed).client.eventPage())
    expect(error.code).toBe('bad_page')
    expect(error.message).toContain('usable nextCursor')
  })

  it.each([
    ['has no data', { data: undefined }],
    ['says nothing about more', { hasMore: undefined }],
    ['has no cursor, not even null', { nextCursor: undefined }],
    ['has a number for a cursor', { nextCursor: 7 }],
    ['is a list', []],
  ])('throw bad_page if a page %s', async (_, page) => {
    const feed = await serveFeed()
    feed.failNext(Array.isArray(page) ? json(page) : pageOf(page))
    const { client } = clientOf(feed)
    const error = await errorOf(client.eventPage())
    expect(error.code).toBe('bad_page')
    expect(inspect(error)).not.toContain('data:')
  })

  it('are requested with an opaque cursor [R98]', async () => {
    const feed = await serveFeed()
    const nextCursor = '../v1?limit=1&a=%00+/=#ü {"position":7}'
    feed.failNext(
      pageOf({ nextCursor, hasMore: true }),
      pageOf({ nextCursor: null, hasMore: false }),
    )
    const { client } = clientOf(feed)
    await idsOf(client.events())
    expect(feed.requests.map(({ path }) => path)).toEqual(['/v1/events', '/v1/events'])
    expect(feed.requests[1]?.query.get('cursor')).toBe(nextCursor)
  })

  it('are requested with after only on demand, and with a warning [R104, R242]', async () => {
    const feed = await serveFeed()
    const warnings: string[] = []
    const { client } = clientOf(feed, { onWarning: (warning) => warnings.push(warning) })
    await idsOf(client.events({ after: new Date(start) }))
    await client.eventPage({ after: '2026-11-01T00:00:00Z' })
    expect(feed.requests.map(({ query }) => query.get('after'))).toEqual([
      '2026-12-01T00:00:00.000Z',
      '2026-11-01T00:00:00Z',
    ])
    expect(warnings).toEqual([expect.stringContaining('deprecated')])
  })

  it.each([0, 201, 1.5, Number.NaN])('reject a limit of %s without a request', async (limit) => {
    const feed = await serveFeed()
    const { client } = clientOf(feed)
    expect((await errorOf(client.eventPage({ limit }))).code).toBe('bad_option')
    expect(feed.requests).toHaveLength(0)
  })

  it('reject an invalid date', async () => {
    const { client } = clientOf(await serveFeed())
    const error = await errorOf(client.eventPage({ after: new Date('soon') }))
    expect(error).toMatchObject({ code: 'bad_option', message: expect.stringContaining('after') })
  })
})

describe('account events', () => {
  async function serveAccount(count: number) {
    const feed = await serveFeed()
    feed.accountEvents = Array.from({ length: count }, (_, at) => makeAccountEvent(at + 1))
    return feed
  }

  it('are newest first, over all pages [R134]', async () => {
    const feed = await serveAccount(5)
    const { client } = clientOf(feed)
    const titles: string[] = []
    for await (const { title } of client.accountEvents({ limit: 2 })) titles.push(title)
    expect(titles).toEqual([5, 4, 3, 2, 1].map((number) => `Change ${number}`))
    expect(feed.requests).toHaveLength(3)
  })

  it('end before the event in downTo [R134]', async () => {
    const feed = await serveAccount(9)
    const { client } = clientOf(feed)
    const { eventRef: downTo } = makeAccountEvent(6)
    const pages = []
    for await (const page of client.accountEvents({ limit: 2, downTo }).pages()) pages.push(page)
    expect(pages.flatMap(({ items }) => items.map(({ title }) => title))).toEqual([
      'Change 9',
      'Change 8',
      'Change 7',
    ])
    expect(feed.requests).toHaveLength(2)
  })

  it('send each type as its own parameter', async () => {
    const feed = await serveAccount(1)
    const { client } = clientOf(feed)
    const types = ['capability.changed', 'action.changed'] as const
    await client.accountEventPage({ types, subjectType: 'capability_profile' })
    expect(feed.requests[0]?.query.toString()).toBe(
      'limit=50&subjectType=capability_profile&type=capability.changed&type=action.changed',
    )
    const twice = client.accountEventPage({ types: ['action.changed', 'action.changed'] })
    expect((await errorOf(twice)).code).toBe('bad_option')
    expect((await errorOf(client.accountEventPage({ limit: 101 }))).code).toBe('bad_option')
  })

  it('preserve their data unchanged [R65]', async () => {
    const feed = await serveFeed()
    const text =
      '{"__proto__":{"isAdmin":true},"html":"<img src=x onerror=alert(1)>","deep":[[1e3]]}'
    feed.accountEvents = [makeAccountEvent(1, { data: JSON.parse(text) })]
    const { client } = clientOf(feed)
    const [event] = (await client.accountEventPage()).items
    expect(JSON.stringify(event?.data)).toBe(JSON.stringify(JSON.parse(text)))
    expect(Object.keys(event?.data ?? {})).toEqual(['__proto__', 'html', 'deep'])
    expect(event).not.toHaveProperty('isAdmin')
  })

  it('throw unknown_contract, with the answer, for another contract version [R135, R241]', async () => {
    const feed = await serveAccount(1)
    feed.contractVersion = 'account-events/2027-01-01.v2'
    const { client } = clientOf(feed)
    const error = await errorOf(client.accountEventPage())
    expect(error).toMatchObject({ code: 'unknown_contract' })
    expect(error.answer).toMatchObject({ data: [{ title: 'Change 1' }] })
    expect(inspect(error)).not.toContain('Change 1')
    const { eventRef } = makeAccountEvent(1)
    expect((await errorOf(client.accountEvent(eventRef))).code).toBe('unknown_contract')
  })

  it('throw not_found if they are not enabled, while other requests work [R221]', async () => {
    const feed = await serveFeed()
    const { client } = clientOf(feed)
    expect((await errorOf(client.accountEventPage())).code).toBe('not_found')
    expect(feed.requests).toHaveLength(1)
    expect((await client.eventPage()).items).toEqual([])
  })

  it('can be read one by one', async () => {
    const feed = await serveAccount(2)
    const { client } = clientOf(feed)
    const { eventRef } = makeAccountEvent(2)
    expect((await client.accountEvent(eventRef)).title).toBe('Change 2')
    const missing = client.accountEvent(makeAccountEvent(3).eventRef)
    expect((await errorOf(missing)).code).toBe('not_found')
    expect((await errorOf(client.accountEvent('../keys'))).code).toBe('bad_option')
    expect(feed.requests).toHaveLength(2)
  })
})

describe('a transient failure', () => {
  it.each(Object.entries(passingFaults))('is retried: %s [R223]', async (_, fault) => {
    const feed = await serveFeed()
    publish(feed, 1)
    feed.failNext(fault, fault)
    const { client, clock } = clientOf(feed)
    expect((await client.eventPage()).items).toHaveLength(1)
    expect(feed.requests).toHaveLength(3)
    // 1 s and 2 s.
    expect(clock.now() - start).toBe(3_000)
  })

  it('throws unavailable after six attempts with doubling backoff', async () => {
    const feed = await serveFeed()
    feed.alwaysFail = (response) => sendError(response, 503, 'unavailable')
    const { client, clock } = clientOf(feed)
    expect(await errorOf(client.eventPage())).toMatchObject({ code: 'unavailable', status: 503 })
    expect(feed.requests).toHaveLength(6)
    expect(clock.now() - start).toBe((1 + 2 + 4 + 8 + 16) * 1_000)
  })

  it('waits at most a minute, and with jitter at least half of it [R223]', async () => {
    const feed = await serveFeed()
    feed.alwaysFail = (response) => sendError(response, 503, 'unavailable')
    const { client, clock } = clientOf(feed, { maxAttempts: 11, random: () => 0 })
    await errorOf(client.eventPage())
    expect(clock.now() - start).toBe(((1 + 2 + 4 + 8 + 16 + 32 + 4 * 60) * 1_000) / 2)
  })

  it('is retried if the service hangs', async () => {
    const feed = await serveFeed()
    feed.failNext(
      () => {},
      (response) => response.writeHead(200).write('{"data":'),
    )
    const { client } = clientOf(feed, { timeoutMs: 1_000 })
    expect((await client.eventPage()).hasMore).toBe(false)
    expect(feed.requests).toHaveLength(3)
  })

  it.each([
    ['a closed port', /ECONNREFUSED.* Check the host and port in baseUrl/],
    ['an unknown host', /(?:ENOTFOUND|EAI_AGAIN) feed\.invalid.* Check the host name in baseUrl/],
  ])('names the cause and what to check: %s', async (which, said) => {
    const closed = createServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const address = closed.address()
    const port = typeof address === 'object' && address ? address.port : 0
    closed.close()
    await once(closed, 'close')
    const baseUrl = which === 'a closed port' ? `http://127.0.0.1:${port}` : 'http://feed.invalid'
    const { client } = clientOf({ baseUrl } as ServedFeed, { maxAttempts: 2 })
    const error = await errorOf(client.eventPage())
    expect(error.code).toBe('unavailable')
    expect(error.message).toMatch(said)
    expect(error.message).not.toContain('later')
  })

  it('names a certificate that is not trusted', async () => {
    const feed = await serveFeed()
    const cause = Object.assign(new Error('self-signed certificate\nin chain'), {
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    })
    const untrusted: typeof fetch = () => Promise.reject(new TypeError('fetch failed', { cause }))
    const { client } = clientOf(feed, { fetch: untrusted, maxAttempts: 1 })
    expect((await errorOf(client.eventPage())).message).toMatch(
      /: self-signed certificate in chain \(DEPTH_ZERO_SELF_SIGNED_CERT\)\. Check the certificate/,
    )
  })

  it('names a server that does not use TLS', async () => {
    const feed = await serveFeed()
    const baseUrl = feed.baseUrl.replace('http:', 'https:')
    const { client } = clientOf({ ...feed, baseUrl }, { maxAttempts: 1 })
    expect((await errorOf(client.eventPage())).message).toMatch(
      /wrong version number.* Check the port in baseUrl, and whether it should begin with http /,
    )
  })

  it('names the time limit of an answer', async () => {
    const feed = await serveFeed()
    feed.alwaysFail = () => {}
    const { client } = clientOf(feed, { timeoutMs: 50, maxAttempts: 1 })
    expect((await errorOf(client.eventPage())).message).toContain('within 50 ms. Try again later.')
  })

  it.each([
    [
      'text/html; charset=utf-8',
      /with text\/html; charset=utf-8, and no JSON\. Check that baseUrl/,
    ],
    [undefined, /with no content type, and no JSON\. Check that baseUrl/],
  ])('names an answer of another kind: %s', async (type, said) => {
    const feed = await serveFeed()
    feed.alwaysFail = (response) =>
      response.writeHead(200, { ...(type && { 'content-type': type }) }).end('<html>')
    const { client } = clientOf(feed, { maxAttempts: 1 })
    const error = await errorOf(client.eventPage())
    expect(error).toMatchObject({ code: 'unavailable', status: 200 })
    expect(error.message).toMatch(said)
    expect(error.message).not.toContain('later')
  })
})

describe('a permanent failure', () => {
  it.each([
    [400, 'invalid_request'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [405, 'unexpected_answer'],
    [418, 'unexpected_answer'],
    [301, 'unexpected_answer'],
    [204, 'unexpected_answer'],
  ])('is not retried: %s [R78, R218]', async (status, code) => {
    const feed = await serveFeed()
    feed.alwaysFail = (response) =>
      status === 204 ? response.writeHead(204).end() : sendError(response, status, 'a\ncode')
    const { client, clock } = clientOf(feed)
    const error = await errorOf(client.eventPage())
    expect(error).toMatchObject({ code, status })
    expect(error.message).not.toContain('\n')
    expect(feed.requests).toHaveLength(1)
    expect(clock.now()).toBe(start)
  })

  it('says to check a baseUrl that leads to no endpoint', async () => {
    const feed = await serveFeed()
    const { client } = clientOf(feed, { baseUrl: `${feed.baseUrl}/v1` })
    const { message } = await errorOf(client.eventPage())
    expect(message).toMatch('answered /v1/v1/events with 404 not_found. Check baseUrl.')
  })

  it('is classified by its status, whatever the body says [R78]', async () => {
    const feed = await serveFeed()
    feed.alwaysFail = (response) => response.writeHead(403).end('<html>')
    const { client } = clientOf(feed)
    expect(await errorOf(client.eventPage())).toMatchObject({
      code: 'forbidden',
      serviceCode: undefined,
    })
  })
})

describe('an answer that is too large', () => {
  const page = { nextCursor: null, hasMore: false, data: [], more: ' '.repeat(16 * 2 ** 20) }

  it('is not read to its end, and not requested again', async () => {
    const feed = await serveFeed()
    const body = gzipSync(JSON.stringify(page), { level: 1 })
    feed.alwaysFail = (response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(body)
    const { client, clock } = clientOf(feed)
    const error = await errorOf(client.eventPage())
    expect(error.code).toBe('unexpected_answer')
    expect(error.message).toMatch(/more than 16777216 bytes.*maxAnswerBytes/)
    await using tools = await client.mcp()
    expect((await errorOf(tools.checkModel({ model: 'any' }))).code).toBe('unexpected_answer')
    expect(feed.requests).toHaveLength(2)
    expect(clock.now()).toBe(start)
  })

  it('has more than maxAnswerBytes decoded bytes', async () => {
    const feed = await serveFeed()
    const text = JSON.stringify({ ...page, more: 'é' })
    feed.alwaysFail = (response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text))
    const maxAnswerBytes = Buffer.byteLength(text)
    expect((await clientOf(feed, { maxAnswerBytes }).client.eventPage()).items).toEqual([])
    const { client } = clientOf(feed, { maxAnswerBytes: maxAnswerBytes - 1 })
    expect((await errorOf(client.eventPage())).code).toBe('unexpected_answer')
  })

  it.each([0, 2 ** 31, Number.NaN])('cannot have a limit of %d', (maxAnswerBytes) => {
    const make = () => clientOf({ baseUrl: 'http://localhost' } as ServedFeed, { maxAnswerBytes })
    expect(make).toThrow('maxAnswerBytes')
  })
})

describe('a rate limit', () => {
  it('is waited for with growing waits if it does not end, up to maxWaitMs in all [R222]', async () => {
    const feed = await serveFeed()
    feed.alwaysFail = limited('burst', 0)
    const { client, clock } = clientOf(feed)
    const patient = await errorOf(client.eventPage({ maxWaitMs: 3_600_000 }))
    expect(patient).toMatchObject({ code: 'rate_limited', retryAt: new Date(start + 3_603_000) })
    // 1, 2, 4, 8, 16 and 32 s, and then each minute.
    expect(clock.now() - start).toBe(3_543_000)
    expect(feed.requests).toHaveLength(6 + 58 + 1)
  })

  it('is short again after an answer', async () => {
    const feed = await serveFeed()
    const { client, clock } = clientOf(feed)
    for (let times = 1; times <= 3; times += 1) {
      feed.failNext(limited('burst', 1), limited('burst', 1))
      await client.eventPage()
    }
    expect(clock.now() - start).toBe(3 * (1_000 + 2_000))
  })

  it('of 120 requests in a minute holds without a 429, unless requestsPerMinute is another', async () => {
    const feed = await serveFeed()
    const { client, clock } = clientOf(feed)
    for (let times = 1; times <= 120; times += 1) await client.eventPage()
    expect(clock.now()).toBe(start)
    expect(await errorOf(client.eventPage({ maxWaitMs: 59_999 }))).toMatchObject({
      code: 'rate_limited',
      retryAt: new Date(start + 60_000),
    })
    expect(feed.requests).toHaveLength(120)
    await client.eventPage()
    expect(clock.now()).toBe(start + 60_000)

    const slow = clientOf(feed, { requestsPerMinute: 2 })
    await Promise.all(Array.from({ length: 5 }, () => slow.client.eventPage()))
    expect(slow.clock.now()).toBe(start + 120_000)
    expect(() => clientOf(feed, { requestsPerMinute: 0 })).toThrow('requestsPerMinute')
  })

  it('holds in every minute, whenever its requests were sent', async () => {
    const feed = await serveFeed()
    const { client, clock } = clientOf(feed)
    await client.eventPage()
    await clock.sleep(59_000)
    for (let times = 2; times <= 120; times += 1) await client.eventPage()
    await client.eventPage()
    expect(clock.now()).toBe(start + 60_000)
    await client.eventPage()
    expect(clock.now()).toBe(start + 119_000)
  })

  it('of requests in a minute is no longer waited for once the signal aborts', async () => {
    const feed = await serveFeed()
    const clock = virtualClock({ start })
    const { client } = clientOf(feed, { clock, requestsPerMinute: 1 })
    await client.eventPage()
    const own = new AbortController()
    const waiting = client.eventPage({ signal: own.signal })
    await expect.poll(() => client.rateLimit.blocked).not.toBeNull()
    own.abort(new Error('no longer wanted'))
    await expect(waiting).rejects.toThrow('no longer wanted')
    const next = client.eventPage()
    await clock.advance(59_999)
    expect(feed.requests).toHaveLength(1)
    await clock.advance(1)
    await next
    expect(feed.requests).toHaveLength(2)
  })

  it('is waited for as long if the time is set back', async () => {
    const feed = await serveFeed()
    feed.failNext(limited('burst', 30), passingFaults['a 500'] as Fault)
    const virtual = virtualClock({ start })
    let setBackMs = 0
    const clock = { ...virtual, now: () => virtual.now() - setBackMs, elapsed: virtual.now }
    const { client } = clientOf(feed, { clock })
    const page = client.eventPage()
    await expect.poll(() => client.rateLimit.blocked).not.toBeNull()
    setBackMs = 6 * 3_600_000
    await virtual.advance(30_000)
    await expect.poll(() => feed.requests.length).toBe(2)
    setBackMs *= 2
    await virtual.advance(1_000)
    expect((await page).items).toEqual([])
    expect(virtual.now()).toBe(start + 31_000)
  })

  it.each([
    ['burst', 17, 17],
    ['usage_period', 2_592_000, 2_592_000],
    ['something_new', 5, 5],
    ['burst', 'soon', 60],
    ['burst', 0, 1],
    ['usage_period', 9_999_999_999, 31 * 86_400],
  ])('of %s is waited for by Retry-After: %s [R222]', async (scope, retryAfter, seconds) => {
    const feed = await serveFeed()
    feed.failNext(limited(scope, retryAfter))
    const { client, clock } = clientOf(feed)
    await client.eventPage()
    expect(clock.now() - start).toBe(seconds * 1_000)
    expect(feed.requests).toHaveLength(2)
    expect(client.rateLimit.blocked).toBeNull()
  })

  it('applies to every request of the client [R222]', async () => {
    const feed = await serveFeed()
    feed.failNext(limited('burst', 30))
    const { client, clock } = clientOf(feed)
    const impatient = await errorOf(client.eventPage({ maxWaitMs: 1_000 }))
    expect(impatient).toMatchObject({ code: 'rate_limited', retryAt: new Date(start + 30_000) })
    expect(client.rateLimit.blocked).toEqual({ scope: 'burst', until: new Date(start + 30_000) })
    await errorOf(client.eventPage({ maxWaitMs: 1_000 }))
    expect(feed.requests).toHaveLength(1)
    await clock.sleep(29_999)
    expect(client.rateLimit.blocked).not.toBeNull()
    await clock.sleep(1)
    expect(client.rateLimit.blocked).toBeNull()
    await Promise.all([client.eventPage(), client.eventPage()])
    expect(clock.now() - start).toBe(30_000)
    expect(feed.requests).toHaveLength(3)
  })

  it('is exposed together with the monthly usage', async () => {
    const feed = await serveFeed()
    feed.used = 41
    const { client } = clientOf(feed)
    expect([client.usage, client.rateLimit.usagePeriod]).toEqual([null, null])
    await client.eventPage()
    expect(client.usage).toMatchObject({ requests: 42, limit: 100_000, period: '2027-01' })
    expect(client.rateLimit).toEqual({
      usagePeriod: { limit: 100_000, remaining: 99_958, resetsAt: new Date(feed.resetsAt) },
      burst: { limit: 120, remaining: 119, resetsAt: new Date('2026-12-01T00:01:00Z') },
      blocked: null,
    })
  })

  it('with malformed headers leaves the known values unchanged', async () => {
    const feed = await serveFeed()
    const { client } = clientOf(feed)
    await client.eventPage()
    const known = client.rateLimit.usagePeriod
    feed.failNext((response) =>
      response
        .writeHead(200, { 'x-ratelimit-limit': '1e5', 'x-ratelimit-reset': '1790000000' })
        .end(JSON.stringify({ data: [], nextCursor: null, hasMore: false, usage: 'plenty' })),
    )
    expect((await client.eventPage()).usage).toBeNull()
    expect(client.rateLimit.usagePeriod).toEqual(known)
    expect(client.usage).toMatchObject({ requests: 1 })
  })
})

describe('the API key', () => {
  it('can be replaced without a restart [R196]', async () => {
    const feed = await serveFeed()
    let key = 'feed_live_good'
    const { client } = clientOf(feed, { apiKey: async () => key })
    await client.eventPage()
    feed.keys = new Set(['feed_live_next'])
    key = 'feed_live_next'
    await client.eventPage()
    expect(feed.requests.map((request) => request.key)).toEqual(['feed_live_good', key])
  })

  it('is read again once after a 401 [R196]', async () => {
    const feed = await serveFeed()
    feed.keys = new Set(['feed_live_next'])
    let asked = 0
    const apiKey = () => (++asked === 1 ? 'feed_live_good' : 'feed_live_next')
    const { client } = clientOf(feed, { apiKey })
    await client.eventPage()
    expect(feed.requests).toHaveLength(2)
  })

  it('is not retried after a second 401 [R219]', async () => {
    const feed = await serveFeed()
    feed.keys.clear()
    let number = 0
    const { client } = clientOf(feed, { apiKey: () => `feed_live_${++number}` })
    expect((await errorOf(client.eventPage())).code).toBe('unauthorized')
    expect(feed.requests).toHaveLength(2)
    const { client: other } = clientOf(feed)
    expect((await errorOf(other.eventPage())).code).toBe('unauthorized')
    expect(feed.requests).toHaveLength(3)
  })

  it('is not asked for by a request that has been aborted', async () => {
    let asked = 0
    const apiKey = async () => {
      asked += 1
      throw new Error('The vault is down.')
    }
    const { client } = clientOf(await serveFeed(), { apiKey })
    const stopping = new AbortController()
    const page = client.eventPage({ signal: stopping.signal })
    stopping.abort()
    await expect(page).rejects.toMatchObject({ name: 'AbortError' })
    expect(asked).toBe(0)
  })

  it.each([undefined, '', ' ', 'feed_live_\u0000secret', 'feed_live_sécret', 'feed live'])(
    'is rejected if invalid: %o',
    async (apiKey) => {
      const feed = await serveFeed()
      const error = await errorOf(clientOf(feed, { apiKey }).client.eventPage())
      expect(error.code).toBe('bad_option')
      expect(inspect(error)).not.toMatch(/s.cret|feed live/)
      expect(feed.requests).toHaveLength(0)
    },
  )

  it.each(redirectStatuses)('is not sent on by a redirect with %i', async (status) => {
    const { url, received, followed } = await serveRedirect(status)
    const client = createClient({ baseUrl: url, apiKey: 'feed_live_good', maxAttempts: 1 })
    expect(await errorOf(client.eventPage())).toMatchObject({ code: 'unexpected_answer', status })
    await using tools = await client.mcp()
    expect((await errorOf(tools.checkModel({ model: 'any' }))).code).toBe('unexpected_answer')
    expect(received.length).toBeGreaterThan(1)
    const keys = new Set(received.map(({ headers }) => headers.authorization))
    expect([...keys]).toEqual(['Bearer feed_live_good'])
    expect(followed).toEqual([])
  })

  it('is in no error, whatever fails [R195]', async () => {
    const feed = await serveFeed()
    const secret = 'feed_live_verysecret'
    const chatty: typeof fetch = (_url, init) => {
      throw new Error(`could not send ${JSON.stringify([...new Headers(init?.headers)])}`)
    }
    const shown: string[] = []
    for (const fault of [...Object.values(passingFaults), limited('burst', 90), echo]) {
      feed.alwaysFail = fault
      const { client } = clientOf(feed, { apiKey: secret, maxAttempts: 2 })
      shown.push(inspect(await errorOf(client.eventPage({ maxWaitMs: 0 })), { depth: 9 }))
    }
    const { client } = clientOf(feed, { apiKey: secret, fetch: chatty, maxAttempts: 1 })
    shown.push(inspect(await errorOf(client.eventPage()), { depth: 9 }))
    expect(shown.join('\n')).toContain('Hidden, because the error contained the API key')
    expect(shown.join('\n')).not.toContain('verysecret')
  })

  it.each<[string, (said: string) => unknown]>([
    ['of an error deep inside', (said) => nest(3, new Error(said))],
    ['of an object that is no error', (said) => nest(1, { message: said })],
    [
      'of an object whose message is hidden',
      (said) => nest(1, Object.defineProperty({}, 'message', { value: said })),
    ],
    ['in the first of several errors', (said) => new AggregateError([new Error(said)])],
    ['in another of several errors', (said) => new AggregateError([1, new Error(said)])],
    ['in a text', (said) => nest(1, said)],
    ['in a code', (code) => nest(1, { message: 'no', code })],
    [
      'in the headers of a request',
      (authorization) =>
        Object.assign(new Error('no'), { request: { headers: new Headers({ authorization }) } }),
    ],
  ])('is in no error if the fetch throws it: %s [R195]', async (_, thrownWith) => {
    const secret = 'feed_live_verysecret'
    const chatty: typeof fetch = () => {
      // The key ends after the 200 characters that a message quotes.
      throw thrownWith(`${'.'.repeat(185)} ${secret}`)
    }
    const baseUrl = 'http://localhost'
    const { client } = clientOf({ baseUrl } as ServedFeed, {
      apiKey: secret,
      fetch: chatty,
      maxAttempts: 1,
    })
    const error = await errorOf(client.eventPage())
    expect(error.code).toBe('unavailable')
    const shown = [inspect(error, { depth: 9 })]
    for (let one: unknown = error; one instanceof Object; one = Reflect.get(one, 'cause')) {
      shown.push(String(Reflect.get(one, 'message')))
    }
    expect(shown.join('\n')).not.toContain('feed_live')
  })

  it('is in no error if a proxy sends it back as a content type [R195]', async () => {
    const feed = await serveFeed()
    feed.alwaysFail = (response, { key }) =>
      response.writeHead(200, { 'content-type': `text/html; ${key}` }).end('<html>')
    const { message } = await errorOf(clientOf(feed, { maxAttempts: 1 }).client.eventPage())
    expect(message).toContain('200 with text/html; [key], and no JSON')
  })
})

describe('a client', () => {
  it.each(['', 'feed.example.com', 'ftp://feed.example.com', 'https://me:it@feed.example.com'])(
    'rejects the baseUrl %s',
    (baseUrl) => {
      expect(() => createClient({ baseUrl, apiKey: 'feed_live_good' })).toThrow('baseUrl')
    },
  )

  it.each(['/v1/events', '/feed/v1/events/'])('rejects a baseUrl that ends in "%s"', (end) => {
    const create = () => createClient({ baseUrl: `http://localhost:4010${end}`, apiKey: 'any' })
    expect(create).toThrow(expect.objectContaining({ code: 'bad_option' }))
    expect(create).toThrow('Leave out /v1/events')
  })

  it.each(['', '/', '/feed', '/feed/'])('accepts a baseUrl that ends in "%s"', async (end) => {
    const feed = await serveFeed()
    feed.alwaysFail = pageOf({})
    const { client } = clientOf(feed, { baseUrl: `${feed.baseUrl}${end}` })
    await client.eventPage()
    expect(feed.requests[0]?.path).toBe(`${end.replace(/\/$/, '')}/v1/events`)
  })

  it('aborts requests and waits with the reason of its signal', async () => {
    const feed = await serveFeed()
    feed.failNext(limited('burst', 60))
    const stopping = new AbortController()
    const clock = virtualClock({ start })
    const { client } = clientOf(feed, { signal: stopping.signal, clock })
    const waiting = client.eventPage()
    await expect.poll(() => client.rateLimit.blocked).not.toBeNull()
    stopping.abort(new Error('closing down'))
    await expect(waiting).rejects.toThrow('closing down')
    await expect(client.eventPage()).rejects.toThrow('closing down')

    const hanging = await serveFeed()
    hanging.alwaysFail = () => {}
    const own = new AbortController()
    const page = clientOf(hanging).client.eventPage({ signal: own.signal })
    await expect.poll(() => hanging.requests.length).toBe(1)
    own.abort(new Error('no longer wanted'))
    await expect(page).rejects.toThrow('no longer wanted')
  })
})

/** An error with causes, the last of which is the given one. */
function nest(depth: number, cause: unknown): unknown {
  return depth === 0 ? cause : new TypeError('fetch failed', { cause: nest(depth - 1, cause) })
}

const echo: Fault = (response, { key }) => sendError(response, 400, `bad ${key}`)

function pageOf(overrides: object): Fault {
  const usage = { requests: 1, limit: 9, period: '2026-12', resetsAt: '2027-01-01T00:00:00Z' }
  return json({ data: [], nextCursor: 'next', hasMore: false, usage, ...overrides })
}

function json(body: unknown): Fault {
  return (response) => response.writeHead(200).end(JSON.stringify(body))
}

it.each(['of the client', 'of the request'])(
  'sends nothing if the signal %s has aborted',
  async (whose) => {
    const feed = await serveFeed()
    const signal = AbortSignal.abort(new Error('over'))
    const { client } = clientOf(feed, whose === 'of the client' ? { signal } : {})
    const asking = client.eventPage(whose === 'of the client' ? {} : { signal })
    await expect(asking).rejects.toThrow('over')
    expect(feed.requests).toEqual([])
  },
)
