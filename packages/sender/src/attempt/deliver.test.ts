import { createHmac } from 'node:crypto'
import { Stripe } from 'stripe'
import { expect, onTestFinished, test } from 'vitest'
import { redirectStatuses, serveRedirect } from '../../../../test/support/serve-redirect.ts'
import { serve } from '../../test/serve.ts'
import { createSender } from '../create-sender.ts'
import { fixture } from '../fixtures/fixtures.ts'
import type { SenderOptions } from '../create-sender.ts'
import { virtualClock } from '../virtual-clock.ts'

const secret = 'feed_whsec_Zm9yIHRlc3RzIG9ubHk'
const event = fixture('pricing_changed')

function testSender(options: Partial<SenderOptions> = {}) {
  const clock = virtualClock({ autoAdvance: true })
  const sender = createSender({ secret, clock, ...options })
  onTestFinished(() => sender.close())
  return { sender, clock }
}

test('delivers with the documented headers and the JSON of the event [R159, R160, R165, R166, R167, R202]', async () => {
  const { url, arrivals } = await serve((response) => response.writeHead(202).end('{"ok":true}'))
  const { sender } = testSender({ baseUrl: 'https://feed.example.org/' })
  const outcome = await sender.deliver(event, { to: url })

  expect(outcome).toMatchObject({ eventId: event.id, result: 'delivered' })
  expect(outcome.attempts).toHaveLength(1)
  expect(outcome.attempts[0]).toMatchObject({
    attempt: 1,
    status: 202,
    result: 'accepted',
    cause: 'accepted',
    responseBody: '{"ok":true}',
  })
  expect(outcome.attempts[0]).not.toHaveProperty('nextDelayMs')
  expect(outcome.attempts[0]).not.toHaveProperty('error')
  const arrival = arrivals[0]
  expect(arrival).toMatchObject({ method: 'POST', path: '/feed' })
  expect(arrival?.headers).toMatchObject({
    'content-type': 'application/json',
    'feed-event-id': event.id,
    'idempotency-key': `feed-event-${event.id}`,
    'user-agent': 'FeedWebhook/1.0 (+https://feed.example.org/developers)',
    'content-length': String(arrival?.body.length),
  })
  expect(JSON.parse(String(arrival?.body))).toEqual(event)
})

test('makes eight attempts at the documented offsets, freshly signed over the same bytes [R163, R164, R234]', async () => {
  const { url, arrivals } = await serve((response) => response.writeHead(503).end())
  const clock = virtualClock({ autoAdvance: true })
  const start = clock.now()
  const { sender } = testSender({ clock, signingClock: () => clock.now() })
  const records: unknown[] = []
  const outcome = await sender.deliver(event, {
    to: url,
    onAttempt: (record) => void records.push(record),
  })

  expect(outcome.result).toBe('exhausted')
  expect(records).toEqual(outcome.attempts)
  const offsets = [0, 30, 90, 210, 450, 930, 1890, 3810]
  expect(outcome.attempts.map(({ at }) => (at - start) / 1000)).toEqual(offsets)
  expect(outcome.attempts.map(({ nextDelayMs }) => nextDelayMs)).toEqual([
    30_000,
    60_000,
    120_000,
    240_000,
    480_000,
    960_000,
    1_920_000,
    undefined,
  ])
  expect(outcome.attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  const first = Math.floor(start / 1000)
  expect(outcome.attempts.map(({ signedAt }) => signedAt - first)).toEqual(offsets)

  expect(arrivals).toHaveLength(8)
  const { body = Buffer.alloc(0) } = arrivals[0] ?? {}
  for (const [index, arrival] of arrivals.entries()) {
    const t = first + (offsets[index] ?? 0)
    const v1 = createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex')
    expect(arrival.headers['feed-signature']).toBe(`t=${t},v1=${v1}`)
    expect(arrival.body.equals(body)).toBe(true)
    expect(arrival.headers['idempotency-key']).toBe(`feed-event-${event.id}`)
  }
})

test('signs with the real time if the virtual clock is far from it, and stripe accepts that', async () => {
  const { url, arrivals } = await serve((response, number) =>
    response.writeHead(number < 3 ? 500 : 200).end(),
  )
  const clock = virtualClock({ start: Date.UTC(2030, 0, 1), autoAdvance: true })
  const { sender } = testSender({ clock })
  const outcome = await sender.deliver(event, { to: url })

  expect(outcome.result).toBe('delivered')
  expect(arrivals).toHaveLength(3)
  const stripe = new Stripe('sk_test_unused')
  for (const { body, headers } of arrivals) {
    const signature = String(headers['feed-signature'])
    expect(stripe.webhooks.constructEvent(body, signature, secret)).toEqual(event)
    expect(() => stripe.webhooks.constructEvent(body, signature, `${secret}x`)).toThrow(/signature/)
  }
})

test.each([
  [429, '5', 5],
  [429, '7200', 3600],
  [429, 'soon', 30],
  [429, '0', 30],
  [429, '-1', 30],
  [429, undefined, 30],
  [503, '5', 30],
  [413, '5', 30],
])('after a %d with Retry-After %s makes the next attempt in %d s', async (status, value, wait) => {
  const { url } = await serve((response, number) => {
    if (number > 1) return response.writeHead(200).end()
    return response.writeHead(status, value === undefined ? {} : { 'Retry-After': value }).end()
  })
  const { sender } = testSender()
  const { result, attempts } = await sender.deliver(event, { to: url })
  expect(result).toBe('delivered')
  expect(attempts[0]?.nextDelayMs).toBe(wait * 1000)
  expect(attempts[0]?.retryAfter).toBe(value)
  expect((attempts[1]?.at ?? 0) - (attempts[0]?.at ?? 0)).toBe(wait * 1000)
})

test('measures a Retry-After date against the clock [R236]', async () => {
  const start = Date.UTC(2030, 0, 1)
  const { url } = await serve((response, number) => {
    if (number > 1) return response.writeHead(200).end()
    return response.writeHead(429, { 'Retry-After': new Date(start + 90_000).toUTCString() }).end()
  })
  const { sender } = testSender({ clock: virtualClock({ start, autoAdvance: true }) })
  const { attempts } = await sender.deliver(event, { to: url })
  expect(attempts.map(({ at }) => at - start)).toEqual([0, 90_000])
})

test('ignores a repeated Retry-After header', async () => {
  const { url } = await serve((response) => {
    response.setHeader('Retry-After', ['5', '10'])
    response.writeHead(429).end()
  })
  const { sender } = testSender()
  const record = await sender.attempt(event, { to: url })
  expect(record).toMatchObject({ retryAfter: '5, 10', nextDelayMs: 30_000 })
})

test('records the headers that show who rejected a delivery', async () => {
  const { url } = await serve((response, number) => {
    const location = `https://ada:pass@login.example/${secret}/start?token=a#b`
    if (number > 1) return response.writeHead(202, { 'X-Powered-By': 'Express' }).end()
    const headers = { Location: location, 'X-Powered-By': 'Express', 'Set-Cookie': 'a=b' }
    return response.writeHead(302, headers).end()
  })
  const { sender } = testSender()
  const { attempts } = await sender.deliver(event, { to: url })
  expect(attempts[0]?.headers).toEqual({
    location: 'https://login.example/[hidden]/start',
    'x-powered-by': 'Express',
  })
  expect(attempts[1]).not.toHaveProperty('headers')
})

test('ends the delivery after a pausing status [R84, R85]', async () => {
  const { url, arrivals } = await serve((response, number) =>
    response.writeHead(number === 1 ? 500 : 410).end(),
  )
  const { sender } = testSender()
  const { result, attempts } = await sender.deliver(event, { to: url })
  expect(result).toBe('paused')
  expect(attempts.map(({ cause }) => cause)).toEqual(['server_error', 'rejected'])
  expect(arrivals).toHaveLength(2)
})

test.each(redirectStatuses)(
  'counts a redirect with %i as a failed attempt [R179]',
  async (status) => {
    const { url, received, followed } = await serveRedirect(status)
    const { sender } = testSender()
    const record = await sender.attempt(event, { to: url })
    expect(record).toMatchObject({ status, result: 'retry', cause: 'redirect' })
    expect(received).toHaveLength(1)
    expect(followed).toEqual([])
  },
)

test.each([503, 429, 401, 302])(
  'does not retry a destination_test after a %d [R86, R212]',
  async (status) => {
    const { url, arrivals } = await serve((response) => response.writeHead(status).end())
    const { sender } = testSender()
    const { result, attempts } = await sender.deliver(fixture('destination_test'), { to: url })
    expect(result).toBe('test_failed')
    expect(attempts).toHaveLength(1)
    expect(attempts[0]).not.toHaveProperty('nextDelayMs')
    expect(arrivals).toHaveLength(1)
  },
)

test('recognizes a destination_test in bytes, and delivers it with a 2xx', async () => {
  const { url } = await serve((response, number) =>
    response.writeHead(number > 1 ? 500 : 204).end(),
  )
  const { sender } = testSender()
  const body = new TextEncoder().encode(JSON.stringify(fixture('destination_test')))
  expect(await sender.deliver(body, { to: url })).toMatchObject({ result: 'delivered' })
  expect(await sender.deliver(body, { to: url })).toMatchObject({ result: 'test_failed' })
})

test('limits the attempts of any event with once and maxAttempts', async () => {
  const { url, arrivals } = await serve((response) => response.writeHead(500).end())
  const { sender } = testSender()
  expect(await sender.deliver(event, { to: url, once: true })).toMatchObject({
    result: 'exhausted',
  })
  expect(arrivals).toHaveLength(1)
  const outcome = await sender.deliver(event, { to: url, maxAttempts: 3 })
  expect(outcome.attempts.map(({ nextDelayMs }) => nextDelayMs)).toEqual([
    30_000,
    60_000,
    undefined,
  ])
  await expect(sender.deliver(event, { to: url, maxAttempts: 0 })).rejects.toThrow(RangeError)
})

test('schedules concurrent deliveries independently', async () => {
  const { url } = await serve((response) => response.writeHead(503).end())
  const { sender, clock } = testSender()
  const start = clock.now()
  const events = Array.from({ length: 5 }, (_, index) =>
    fixture('cli_update', { id: `evt_${index}` }),
  )
  const outcomes = await Promise.all(events.map((each) => sender.deliver(each, { to: url })))
  for (const { attempts } of outcomes) {
    const offsets = attempts.map(({ at }) => (at - start) / 1000)
    expect(offsets).toEqual([0, 30, 90, 210, 450, 930, 1890, 3810])
  }
})

test('makes the attempts of an hour at their times when the clock advances by an hour', async () => {
  const { url, arrivals } = await serve((response) => response.writeHead(503).end())
  const clock = virtualClock({ start: 0 })
  const { sender } = testSender({ clock })
  const delivery = sender.deliver(event, { to: url })
  await clock.advance(3_600_000)
  expect(arrivals).toHaveLength(7)
  await clock.advance(3_600_000)
  const { result, attempts } = await delivery
  expect(result).toBe('exhausted')
  expect(attempts.at(-1)?.at).toBe(3_810_000)
})

test('awaits onAttempt before the next attempt, and ends the delivery if it throws', async () => {
  const { url, arrivals } = await serve((response) => response.writeHead(503).end())
  const { sender } = testSender()
  const onAttempt = async ({ attempt }: { attempt: number }) => {
    await new Promise(setImmediate)
    expect(arrivals).toHaveLength(attempt)
    if (attempt === 2) throw new Error('the store is down')
  }
  const delivery = sender.deliver(event, { to: url, onAttempt })
  await expect(delivery).rejects.toThrow('the store is down')
  expect(arrivals).toHaveLength(2)
})

test('makes one attempt with attempt(), and returns when the next one is due', async () => {
  const { url, arrivals } = await serve((response) => response.writeHead(503).end())
  const { sender } = testSender()
  const third = await sender.attempt(event, { to: url, attempt: 3 })
  expect(third).toMatchObject({ attempt: 3, status: 503, nextDelayMs: 120_000 })
  expect(await sender.attempt(event, { to: url, attempt: 8 })).not.toHaveProperty('nextDelayMs')
  expect(arrivals).toHaveLength(2)
  await expect(sender.attempt(event, { to: url, attempt: 0 })).rejects.toThrow(
    new RangeError('attempt must be a whole number from 1, but it is 0.'),
  )
})
