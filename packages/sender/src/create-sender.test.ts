import { EventEmitter, getEventListeners, once } from 'node:events'
import { signatureHeader } from '@feed-receiver/core/internal'
import type { Clock } from '@feed-receiver/core/node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { serve } from '../test/serve.ts'
import { createSender } from './create-sender.ts'
import { fixture } from './fixtures/fixtures.ts'
import type { DeliverOptions, SenderOptions } from './create-sender.ts'
import { virtualClock } from './virtual-clock.ts'

const secret = 'feed_whsec_Zm9yIHRlc3RzIG9ubHk'
const event = fixture('model_release')

function testSender(options: Partial<SenderOptions> = {}) {
  const sender = createSender({ secret, ...options })
  onTestFinished(() => sender.close())
  return sender
}

describe('the secret', () => {
  test.each([
    [undefined, 'is undefined'],
    [null, 'is null, not a string'],
    [42, 'is a value of type number, not a string'],
    ['', 'is empty'],
    ['whsec_c2VjcmV0', 'does not begin with feed_whsec_'],
    ['FEED_WHSEC_c2VjcmV0', 'does not begin with feed_whsec_'],
    ['feed_whsec_', 'is only feed_whsec_'],
    [' feed_whsec_c2VjcmV0', 'has white space around it'],
    ['feed_whsec_c2VjcmV0\n', 'has white space around it'],
  ])('rejects %j without quoting it', (value, problem) => {
    let thrown: unknown
    try {
      // @ts-expect-error as in JavaScript without types
      createSender({ secret: value })
    } catch (error) {
      thrown = error
    }
    expect(thrown).toMatchObject({ name: 'SenderError', code: 'invalid_secret' })
    expect(String(thrown)).toContain(problem)
    expect(String(thrown)).not.toContain('c2VjcmV0')
  })

  test('can be replaced for one attempt, and is not in its record', async () => {
    const own = 'feed_whsec_c2VjcmV0IG9mIG9uZQ'
    const { url, arrivals } = await serve((response) => response.end(own))
    const sender = testSender({ signingClock: () => 0 })
    const record = await sender.attempt(event, { to: url, secret: own })
    expect(JSON.stringify(record)).not.toContain('c2VjcmV0')
    await sender.attempt(event, { to: url })
    const body = new TextEncoder().encode(JSON.stringify(event))
    expect(arrivals.map(({ headers }) => headers['feed-signature'])).toEqual(
      [own, secret].map((one) => signatureHeader({ secret: one, timestampSeconds: 0, body })),
    )
    const wrong = sender.attempt(event, { to: url, secret: 'private' })
    await expect(wrong).rejects.toMatchObject({ code: 'invalid_secret' })
  })

  test('is in no record and no error, even if the receiver echoes the request [R195]', async () => {
    const { url, arrivals } = await serve((response, _number, { rawHeaders, body }) => {
      const signature = String(rawHeaders[rawHeaders.indexOf('Feed-Signature') + 1])
      const echo = [rawHeaders.join('\n'), secret, signature.slice(-64), body.toString()]
      response.setHeader('Retry-After', signature)
      response.writeHead(429).end(echo.join('\n'))
    })
    const clock = virtualClock({ autoAdvance: true })
    const outcome = await testSender({ clock }).deliver(event, { to: url })
    const shown = JSON.stringify(outcome)
    expect(outcome.attempts).toHaveLength(8)
    expect(outcome.attempts[0]?.responseBody).toContain('Feed-Event-Id')
    expect(shown).not.toContain('feed_whsec_')
    expect(shown).not.toContain('v1=')
    for (const { headers } of arrivals) {
      expect(shown).not.toContain(String(headers['feed-signature']).slice(-64))
    }
  })
})

test('no signature that replaces the own one is in a record', async () => {
  const { url } = await serve((response, _number, { headers }) => {
    response.writeHead(500).end(String(headers['feed-signature']).slice(-64))
  })
  const body = new TextEncoder().encode(JSON.stringify(event))
  const signature = signatureHeader({ secret, timestampSeconds: 0, body })
  const headers = { 'feed-signature': signature }
  const record = await testSender().attempt(event, { to: url, headers })
  expect(record.responseBody).toBe('[hidden]')
})

describe('headers', () => {
  test('can be replaced, removed, added and repeated for one delivery', async () => {
    const { url, arrivals } = await serve((response) => response.writeHead(200).end())
    const sender = testSender({ userAgent: 'Mine/1' })
    await sender.deliver(event, {
      to: url,
      headers: {
        'feed-signature': undefined,
        'FEED-EVENT-ID': 'evt_other',
        'Content-Type': 'text/plain',
        'X-Added': 'yes',
        'Idempotency-Key': ['one', 'two'],
      },
    })
    await sender.deliver(event, { to: url })
    const [odd, usual] = arrivals
    expect(odd?.headers).not.toHaveProperty('feed-signature')
    expect(odd?.headers).toMatchObject({
      'feed-event-id': 'evt_other',
      'content-type': 'text/plain',
      'x-added': 'yes',
      'user-agent': 'Mine/1',
    })
    expect(odd?.rawHeaders.filter((name) => name === 'Idempotency-Key')).toHaveLength(2)
    expect(usual?.headers['feed-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/)
    expect(usual?.headers['content-type']).toBe('application/json')
  })

  test.each([
    ['characters outside latin1', 'evt_手'],
    ['a line feed', 'evt_1\nX-Evil: 1'],
    ['a NUL', 'evt_\0'],
    ['a space at the end', 'evt_1 '],
  ])('reject an id with %s and send nothing', async (_what, id) => {
    const { url, arrivals } = await serve((response) => response.writeHead(200).end())
    const delivery = testSender().deliver(fixture('model_release', { id }), { to: url })
    await expect(delivery).rejects.toMatchObject({
      name: 'SenderError',
      code: 'invalid_header',
      message: expect.stringContaining('Feed-Event-Id'),
    })
    expect(arrivals).toHaveLength(0)
  })

  test('can be removed if they cannot carry the id', async () => {
    const { url, arrivals } = await serve((response) => response.writeHead(200).end())
    const outcome = await testSender().deliver(fixture('model_release', { id: 'evt_手' }), {
      to: url,
      headers: { 'Feed-Event-Id': undefined, 'Idempotency-Key': undefined },
    })
    expect(outcome).toMatchObject({ eventId: 'evt_手', result: 'delivered' })
    expect(arrivals[0]?.headers).not.toHaveProperty('feed-event-id')
  })

  test('carry an id in latin1 unchanged', async () => {
    const { url, arrivals } = await serve((response) => response.writeHead(200).end())
    await testSender().deliver(fixture('model_release', { id: 'evt_é ÿ' }), { to: url })
    expect(arrivals[0]?.headers['feed-event-id']).toBe('evt_é ÿ')
  })

  test.each([
    [{ 'bad name': 'x' }],
    [{ 'X-Bad': 'a\r\nb' }],
    [{ 'Content-Length': '3' }],
    [{ 'Transfer-Encoding': 'chunked' }],
    [{ Expect: '100-continue' }],
  ])('reject %j', async (headers) => {
    const { url, arrivals } = await serve((response) => response.writeHead(200).end())
    const delivery = testSender().deliver(event, { to: url, headers })
    await expect(delivery).rejects.toMatchObject({ code: 'invalid_header' })
    expect(arrivals).toHaveLength(0)
  })
})

describe('bytes', () => {
  test('are sent unchanged in every attempt, even if the array changes [R164]', async () => {
    const { url, arrivals } = await serve((response, number) =>
      response.writeHead(number < 3 ? 500 : 200).end(),
    )
    const bytes = Uint8Array.from([0xef, 0xbb, 0xbf, 0x7b, 0x00, 0xff, 0x0d, 0x0a])
    const original = Buffer.from(bytes)
    const outcome = await testSender({ clock: virtualClock({ autoAdvance: true }) }).deliver(
      bytes,
      {
        to: url,
        id: 'evt_bytes',
        onAttempt: () => void bytes.fill(0),
      },
    )
    expect(outcome).toMatchObject({ eventId: 'evt_bytes', result: 'delivered' })
    expect(arrivals.map(({ body }) => body.equals(original))).toEqual([true, true, true])
    expect(arrivals[0]?.headers['feed-event-id']).toBe('evt_bytes')
  })

  test('may be empty', async () => {
    const { url, arrivals } = await serve((response) => response.writeHead(200).end())
    await testSender().deliver(new Uint8Array(), { to: url, id: 'evt_empty' })
    expect(arrivals[0]?.headers['content-length']).toBe('0')
  })

  test('use the id in the JSON if no option id is set', async () => {
    const { url, arrivals } = await serve((response) => response.writeHead(200).end())
    const body = Buffer.from('{ "schema_version": "9", "id": "evt_found" }')
    const outcome = await testSender().deliver(body, { to: url })
    expect(outcome.eventId).toBe('evt_found')
    expect(arrivals[0]?.headers['idempotency-key']).toBe('feed-event-evt_found')
    expect(arrivals[0]?.body.equals(body)).toBe(true)
  })

  test.each(['not json', 'null', '[]', '5', '{"id":5}'])('%s has no id', async (text) => {
    const delivery = testSender().deliver(Buffer.from(text), { to: 'http://127.0.0.1:1' })
    await expect(delivery).rejects.toMatchObject({ code: 'invalid_event' })
  })
})

test('rejects an event that is not plain data', async () => {
  const circular = fixture('model_release', { data: { benchmark: { current: {} } } })
  const { current } = circular.data.benchmark ?? {}
  if (current) current['self'] = circular
  const delivery = testSender().deliver(circular, { to: 'http://127.0.0.1:1' })
  await expect(delivery).rejects.toMatchObject({ code: 'invalid_event' })
})

test.each(['', 'example.com/feed', 'ftp://example.com', 'https://', 'javascript:alert(1)'])(
  'rejects %j as a target',
  async (to) => {
    await expect(testSender().deliver(event, { to })).rejects.toMatchObject({
      code: 'invalid_destination',
    })
  },
)

test.each([0, -1, Number.NaN, Infinity, 2 ** 31])('rejects a deadline of %d', (deadlineMs) => {
  expect(() => createSender({ secret, deadlineMs })).toThrow(RangeError)
})

describe('aborting', () => {
  test('before the first attempt sends nothing', async () => {
    const { url, arrivals } = await serve((response) => response.writeHead(200).end())
    const signal = AbortSignal.abort()
    const sender = testSender()
    expect(await sender.deliver(event, { to: url, signal })).toEqual({
      eventId: event.id,
      result: 'aborted',
      attempts: [],
    })
    expect(await sender.attempt(event, { to: url, signal })).toMatchObject({ result: 'aborted' })
    expect(arrivals).toHaveLength(0)
  })

  test('during a backoff ends the delivery', async () => {
    const { url, arrivals } = await serve((response) => response.writeHead(503).end())
    const { clock, asleep } = watchSleep()
    const stopping = new AbortController()
    const delivery = testSender({ clock }).deliver(event, { to: url, signal: stopping.signal })
    await asleep
    stopping.abort()
    const { result, attempts } = await delivery
    expect(result).toBe('aborted')
    expect(attempts).toHaveLength(1)
    expect(arrivals).toHaveLength(1)
  })

  test('in flight ends the attempt with the result aborted', async () => {
    const stopping = new AbortController()
    let closed: Promise<unknown> | undefined
    const { url } = await serve((response) => {
      closed = new Promise((resolve) => response.on('close', resolve))
      stopping.abort()
    })
    const records: string[] = []
    const outcome = await testSender().deliver(event, {
      to: url,
      signal: stopping.signal,
      onAttempt: ({ result }) => void records.push(result),
    })
    expect(outcome.result).toBe('aborted')
    expect(outcome.attempts).toMatchObject([
      { attempt: 1, status: null, result: 'aborted', cause: 'aborted', error: { code: 'aborted' } },
    ])
    expect(outcome.attempts[0]).not.toHaveProperty('nextDelayMs')
    expect(records).toEqual(['aborted'])
    await closed
  })

  test.each([200, 503])('leaves no listeners on a long-lived signal after %d', async (status) => {
    const { url } = await serve((response) => response.writeHead(status).end())
    const { signal } = new AbortController()
    const sender = testSender({ clock: virtualClock({ autoAdvance: true }) })
    for (let round = 0; round < 5; round++) {
      await sender.deliver(event, { to: url, signal, maxAttempts: 2 })
      await sender.attempt(event, { to: url, signal })
    }
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('after a 2xx changes nothing', async () => {
    const stopping = new AbortController()
    const { url } = await serve((response) => response.writeHead(200).end())
    const onAttempt: DeliverOptions['onAttempt'] = () => stopping.abort()
    const options = { to: url, signal: stopping.signal, onAttempt }
    expect(await testSender().deliver(event, options)).toMatchObject({ result: 'delivered' })
  })
})

describe('closing', () => {
  test('aborts sleeping and in-flight deliveries, and is idempotent', async () => {
    const { clock, asleep } = watchSleep()
    const failing = await serve((response) => response.writeHead(503).end())
    const sender = createSender({ secret, clock })
    const sleeping = sender.deliver(event, { to: failing.url })
    await asleep
    let closing: Promise<void> | undefined
    const silent = await serve(() => {
      closing = sender.close()
    })
    const inFlight = sender.deliver(event, { to: silent.url })
    expect(await sleeping).toMatchObject({ result: 'aborted' })
    expect(await inFlight).toMatchObject({ result: 'aborted' })
    expect(sender.close()).toBe(closing)
    await closing
    await sender[Symbol.asyncDispose]()
  })

  test('aborts an attempt that connects while the last connection to its server ends', async () => {
    const { url, arrivals } = await serve((response, number) => {
      if (number === 1) response.writeHead(200, { connection: 'close' }).end()
    })
    const to = url.replace('127.0.0.1', 'localhost')
    const here = [{ address: '127.0.0.1', family: 4 }]
    let connect = () => {}
    const connecting = new Promise<void>((resolve) => (connect = resolve))
    const sender = createSender({
      secret,
      lookup: async () => await (lookups++ === 0 ? here : connecting.then(() => here)),
    })
    let lookups = 0
    const first = sender.attempt(event, { to })
    const other = sender.attempt(event, { to })
    expect(await first).toMatchObject({ status: 200 })
    connect()
    await expect.poll(() => arrivals).toHaveLength(2)
    await sender.close()
    expect(await other).toMatchObject({ result: 'aborted' })
  }, 5_000)

  test('makes later calls throw sender_closed', async () => {
    const sender = createSender({ secret })
    await sender.close()
    const call = { to: 'http://127.0.0.1:1' }
    await expect(sender.deliver(event, call)).rejects.toMatchObject({ code: 'sender_closed' })
    await expect(sender.attempt(event, call)).rejects.toMatchObject({ code: 'sender_closed' })
  })
})

/** A clock that stands still, and a promise that resolves when something sleeps on it. */
function watchSleep(): { clock: Clock; asleep: Promise<unknown> } {
  const inner = virtualClock({ start: 0 })
  const events = new EventEmitter()
  const asleep = once(events, 'asleep')
  const sleep: Clock['sleep'] = (ms, signal) => {
    const slept = inner.sleep(ms, signal)
    events.emit('asleep')
    return slept
  }
  return { clock: { ...inner, sleep }, asleep }
}
