import { connect, createServer, type AddressInfo } from 'node:net'
import { Agent, request } from 'undici'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { serveTls } from '../../../../test/support/serve-tls.ts'
import { serve } from '../../test/serve.ts'
import { createConnector } from './create-connector.ts'
import { createSender } from '../create-sender.ts'
import { fixture } from '../fixtures/fixtures.ts'
import type { Lookup } from './create-connector.ts'
import type { SenderOptions } from '../create-sender.ts'
import { virtualClock } from '../virtual-clock.ts'

const secret = 'feed_whsec_Zm9yIHRlc3RzIG9ubHk'
const event = fixture('outage_started')
const here = '127.0.0.1'
const metadata = '169.254.169.254'

function testSender(options: Partial<SenderOptions> = {}) {
  const clock = virtualClock({ autoAdvance: true })
  const sender = createSender({ secret, clock, ...options })
  onTestFinished(() => sender.close())
  return sender
}

describe('a host name', () => {
  test('is resolved once per connection, and stays in Host', async () => {
    const { url, arrivals } = await serve((response, number) => {
      response.writeHead(200, number === 2 ? { Connection: 'close' } : {}).end()
    })
    const { lookup, asked } = answering([here])
    const sender = testSender({ lookup })
    const to = url.replace(here, 'receiver.example')
    for (let delivery = 0; delivery < 3; delivery++) {
      expect(await sender.deliver(event, { to })).toMatchObject({ result: 'delivered' })
    }
    expect(arrivals.map(({ headers }) => headers.host)).toEqual(Array(3).fill(new URL(to).host))
    expect(asked).toEqual(['receiver.example', 'receiver.example'])
  })

  test('is used for SNI and for the certificate check', async () => {
    const { port, names } = await serveTls('receiver.example')
    const { lookup } = answering([here])
    const attempt = async (host: string) => {
      const sender = testSender({ lookup, allowLocal: true })
      return sender.attempt(event, { to: `https://${host}:${port}/feed` })
    }
    // Self-signed.
    expect(await attempt('receiver.example')).toMatchObject({ status: null, cause: 'tls' })
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(await attempt('receiver.example')).toMatchObject({ status: 200, result: 'accepted' })
    await attempt('other.example')
    expect(names).toEqual(['receiver.example', 'receiver.example', 'other.example'])
  })

  test('falls back to its next address if one refuses', async () => {
    const { url, arrivals } = await serve((response) => response.writeHead(200).end())
    const { lookup } = answering(['127.0.0.2', here])
    const to = url.replace(here, 'receiver.example')
    expect(await testSender({ lookup }).attempt(event, { to })).toMatchObject({ status: 200 })
    expect(arrivals).toHaveLength(1)
  })

  test('that is an IP address is not resolved', async () => {
    const { url } = await serve((response) => response.writeHead(200).end())
    const { lookup, asked } = answering([metadata])
    expect(await testSender({ lookup }).attempt(event, { to: url })).toMatchObject({ status: 200 })
    expect(asked).toEqual([])
  })

  test.each([
    ['has no address', () => [], { cause: 'dns', error: { code: 'ENODATA' } }],
    [
      'is unknown',
      () => {
        throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })
      },
      { cause: 'dns', error: { code: 'ENOTFOUND' } },
    ],
    [
      'makes the lookup throw',
      () => {
        throw 'no reason'
      },
      { cause: 'network', error: { message: 'The DNS lookup failed.' } },
    ],
    [
      'resolves to a name instead of an address',
      () => [{ address: 'localhost' }],
      { cause: 'blocked_address' },
    ],
  ])('that %s is retried later', async (_what, found, expected) => {
    const sender = testSender({ lookup: async () => found() })
    const record = await sender.attempt(event, { to: 'http://receiver.example/feed' })
    expect(record).toMatchObject({ status: null, result: 'retry', nextDelayMs: 30_000 })
    expect(record).toMatchObject(expected)
  })
})

describe('a blocked address', () => {
  test('after an allowed one gets no connection, and the delivery is retried [R178]', async () => {
    const { url, arrivals } = await serve((response, number) =>
      response.writeHead(number < 2 ? 503 : 200, { Connection: 'close' }).end(),
    )
    const { lookup } = answering([here], [metadata], [here, metadata], [here])
    const to = url.replace(here, 'rebinding.example')
    const { result, attempts } = await testSender({ lookup }).deliver(event, { to })
    expect(result).toBe('delivered')
    const blocked = {
      status: null,
      result: 'retry',
      cause: 'blocked_address',
      error: {
        code: 'blocked_address',
        message: `The address ${metadata} is a link-local address.`,
      },
    }
    expect(attempts).toMatchObject([{ status: 503 }, blocked, blocked, { status: 200 }])
    expect(attempts.map(({ nextDelayMs }) => nextDelayMs)).toEqual([
      30_000,
      60_000,
      120_000,
      undefined,
    ])
    expect(arrivals).toHaveLength(2)
  })

  test.each([
    [[here]],
    [['::1']],
    [['10.0.0.1']],
    [['::ffff:127.0.0.1']],
    [['8.8.8.8', here]],
    [[here, '8.8.8.8']],
    [['2606:4700:4700::1111', '8.8.8.8', '192.168.0.1']],
  ])('%j gets no connection [R178]', async (addresses) => {
    const { port, connections } = await countConnections()
    const { lookup, asked } = answering(addresses)
    const sender = testSender({ lookup, allowLocal: false })
    const outcome = await sender.deliver(event, { to: `https://app.example.com:${port}/feed` })
    expect(outcome.result).toBe('exhausted')
    expect(new Set(outcome.attempts.map(({ cause }) => cause))).toEqual(
      new Set(['blocked_address']),
    )
    expect(asked).toHaveLength(8)
    expect(await connections()).toBe(0)
  })

  test('ends a destination_test', async () => {
    const { lookup } = answering([here])
    const sender = testSender({ lookup, allowLocal: false })
    const outcome = await sender.deliver(fixture('destination_test'), {
      to: 'https://app.example.com/feed',
    })
    expect(outcome).toMatchObject({
      result: 'test_failed',
      attempts: [{ cause: 'blocked_address' }],
    })
  })

  test('in the URL itself gets no connection [R178]', async () => {
    const { port, connections } = await countConnections()
    const dispatcher = new Agent({ connect: createConnector({}, 1000) })
    onTestFinished(() => dispatcher.destroy())
    for (const host of [here, '2130706433', '[::1]', '[::ffff:127.0.0.1]']) {
      for (const scheme of ['http', 'https']) {
        const sent = request(`${scheme}://${host}:${port}/`, { dispatcher })
        await expect(sent).rejects.toMatchObject({ code: 'blocked_address' })
      }
    }
    expect(await connections()).toBe(0)
  })
})

test.each([
  ['http://app.example.com/feed', false, 'invalid_destination'],
  ['https://localhost/feed', false, 'invalid_destination'],
  ['https://user:word@app.example.com/feed', false, 'invalid_destination'],
  ['https://127.0.0.1/feed', false, 'blocked_address'],
  ['http://user:word@localhost/feed', true, 'invalid_destination'],
  ['http://169.254.169.254/latest', true, 'blocked_address'],
  ['http://169.254.169.254/latest', undefined, 'blocked_address'],
])(
  'a delivery to %s with allowLocal %s is an error [R176, R177, R185]',
  async (to, allowLocal, code) => {
    const sender = testSender({ allowLocal })
    await expect(sender.deliver(event, { to })).rejects.toMatchObject({ name: 'SenderError', code })
    await expect(sender.attempt(event, { to })).rejects.toMatchObject({ name: 'SenderError', code })
  },
)

test('ends the attempt after a slow DNS lookup, and sends nothing late [R233]', async () => {
  const { url, arrivals } = await serve((response) => response.writeHead(200).end())
  const to = url.replace(here, 'slow.example')
  const late: (() => void)[] = []
  const lookup: Lookup = () =>
    new Promise((resolve) => {
      late.push(() => resolve([{ address: here }]))
    })
  const sender = testSender({ lookup, deadlineMs: 1_000 })
  const record = await sender.attempt(event, { to })
  expect(record).toMatchObject({ status: null, result: 'retry', cause: 'timeout' })
  expect(record.error?.code).toBe('deadline')
  expect(record.durationMs).toBeGreaterThanOrEqual(995)

  // The connection is established later, and carries only the next delivery.
  const second = sender.attempt(fixture('cli_update'), { to })
  for (const resolve of late) resolve()
  expect(await second).toMatchObject({ status: 200 })
  expect(arrivals.map(({ headers }) => headers['feed-event-id'])).toEqual([
    fixture('cli_update').id,
  ])
})

/** A lookup with these answers in turn, repeating the last one, and the names it was called with. */
function answering(...answers: string[][]): { lookup: Lookup; asked: string[] } {
  const asked: string[] = []
  const lookup: Lookup = async (hostname) => {
    asked.push(hostname)
    const addresses = answers[Math.min(asked.length, answers.length) - 1] ?? []
    return addresses.map((address) => ({ address }))
  }
  return { lookup, asked }
}

/** A server that counts its connections. */
async function countConnections(): Promise<{ port: number; connections(): Promise<number> }> {
  let count = 0
  let seen = () => {}
  const server = createServer((socket) => {
    count += 1
    socket.destroy()
    seen()
  })
  await new Promise<void>((resolve) => server.listen(0, here, resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return {
    port,
    // Connections arrive in order, so all earlier ones are counted.
    async connections() {
      const last = new Promise<void>((resolve) => (seen = resolve))
      connect(port, here).on('error', () => {})
      await last
      return count - 1
    },
  }
}
