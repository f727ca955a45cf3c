import type { Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { closedPort, serve, serveRaw } from '../../test/serve.ts'
import { createSender } from '../create-sender.ts'
import { fixture } from '../fixtures/fixtures.ts'

const secret = 'feed_whsec_Zm9yIHRlc3RzIG9ubHk'
const event = fixture('outage_started')
/** Of the tests in which a deadline ends the attempt. A busy machine may pause for half of it. */
const shortMs = 1_000

function attemptAt(to: string, deadlineMs?: number) {
  const sender = createSender({ secret, deadlineMs })
  onTestFinished(() => sender.close())
  return sender.attempt(event, { to })
}

const timedOut = {
  status: null,
  result: 'retry',
  cause: 'timeout',
  nextDelayMs: 30_000,
  error: { code: 'deadline', message: 'No answer within 1000 ms.' },
}

/** Writes one character every 10 ms until the other side disconnects. */
function drip(socket: Socket, text: string): Promise<void> {
  return new Promise((resolve) => {
    let position = 0
    const timer = setInterval(() => socket.write(text[position++ % text.length] ?? ''), 10)
    socket.on('close', () => {
      clearInterval(timer)
      resolve()
    })
  })
}

describe('the deadline', () => {
  test('ends an attempt without an answer [R233]', async () => {
    const { url } = await serve(() => {})
    const record = await attemptAt(url, shortMs)
    expect(record).toMatchObject(timedOut)
    expect(record.durationMs).toBeGreaterThanOrEqual(shortMs - 5)
  })

  test('ends an attempt on a connection that the server never reads', async () => {
    const { url } = await serveRaw((socket) => socket.pause())
    expect(await attemptAt(url, shortMs)).toMatchObject(timedOut)
  })

  test('ends an attempt whose TLS handshake hangs [R233]', async () => {
    const { url } = await serveRaw(() => {})
    expect(await attemptAt(url.replace('http:', 'https:'), shortMs)).toMatchObject(timedOut)
  })

  test('ends an answer whose head trickles in, and closes the connection [R233]', async () => {
    let gone: Promise<void> | undefined
    const { url } = await serveRaw((socket) => {
      gone = drip(socket, `HTTP/1.1 200 OK\r\nX-Slow: ${'z'.repeat(5000)}`)
    })
    expect(await attemptAt(url, shortMs)).toMatchObject(timedOut)
    await gone
  })

  test('ends a body that trickles in, and the status counts', async () => {
    let gone: Promise<void> | undefined
    const { url } = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n')
      gone = drip(socket, 'drip ')
    })
    const record = await attemptAt(url, shortMs)
    expect(record).toMatchObject({ status: 200, result: 'accepted' })
    expect(record.responseBody).toMatch(/^drip /)
    expect(record.durationMs).toBeLessThan(shortMs)
    await gone
  })

  test('ends an answer that has only interim statuses', async () => {
    const { url } = await serveRaw((socket) => {
      void drip(socket, 'HTTP/1.1 102 Processing\r\n\r\n')
    })
    expect(await attemptAt(url, shortMs)).toMatchObject(timedOut)
  })
})

test('reads 16 KiB of a long body, records 2,048 characters, and closes the connection', async () => {
  const closed: Promise<unknown>[] = []
  const { url } = await serve((response) => {
    closed.push(new Promise((resolve) => response.on('close', resolve)))
    response.writeHead(500)
    response.write('é'.repeat(2_000_000))
  })
  const record = await attemptAt(url)
  expect(record).toMatchObject({ status: 500, responseBody: 'é'.repeat(2048) })
  await Promise.all(closed)
})

test('uses the status even if the body is cut off', async () => {
  const { url } = await serveRaw((socket) => {
    socket.write('HTTP/1.1 202 Accepted\r\nContent-Length: 50\r\n\r\nhalf', () => socket.destroy())
  })
  const record = await attemptAt(url)
  expect(record).toMatchObject({ status: 202, result: 'accepted', responseBody: 'half' })
})

test('records no part of a signature with which a body is cut off', async () => {
  const { url } = await serve(({ req, socket }) => {
    const [, signature = ''] = String(req.headers['feed-signature']).split('v1=')
    const part = `Wrong signature: ${signature.slice(0, 40)}`
    const answer = `HTTP/1.1 401 Unauthorized\r\nContent-Length: 99\r\n\r\n${part}`
    socket?.write(answer, () => socket.destroy())
  })
  const record = await attemptAt(url)
  expect(record).toMatchObject({ status: 401, responseBody: 'Wrong signature: ' })
})

test('records a refused connection', async () => {
  const record = await attemptAt(await closedPort())
  expect(record).toMatchObject({
    status: null,
    result: 'retry',
    cause: 'connect',
    error: { code: 'ECONNREFUSED' },
    nextDelayMs: 30_000,
  })
})

test('records a connection that every address of a host refuses', async () => {
  const record = await attemptAt((await closedPort()).replace('127.0.0.1', 'localhost'))
  expect(record).toMatchObject({ cause: 'connect', error: { code: 'ECONNREFUSED' } })
  expect(record.error?.message).toContain('127.0.0.1')
})

test('records a connection that is reset', async () => {
  const { url } = await serveRaw((socket) => socket.resetAndDestroy())
  expect(await attemptAt(url)).toMatchObject({
    status: null,
    result: 'retry',
    cause: 'reset',
    error: { code: 'ECONNRESET' },
  })
})

test('records a connection that is closed without an answer', async () => {
  const { url } = await serveRaw((socket) => socket.end())
  expect(await attemptAt(url)).toMatchObject({ status: null, result: 'retry', cause: 'reset' })
})

test.each([
  ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
  ['a malformed status', 'HTTP/1.1 abc OK\r\n\r\n'],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n'],
  ['an endless head', `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`],
])('an answer that is %s', async (_what, text) => {
  const { url } = await serveRaw((socket) => socket.end(text))
  expect(await attemptAt(url)).toMatchObject({
    status: null,
    result: 'retry',
    cause: 'invalid_answer',
  })
})

test('records an https URL whose server speaks plain HTTP', async () => {
  const { url } = await serve((response) => response.writeHead(200).end())
  const record = await attemptAt(url.replace('http:', 'https:'))
  expect(record).toMatchObject({ status: null, result: 'retry', cause: 'tls' })
})

test('retries after a status of 600 or more', async () => {
  const { url } = await serveRaw((socket) => socket.end('HTTP/1.1 799 Odd\r\n\r\n'))
  expect(await attemptAt(url)).toMatchObject({
    status: 799,
    result: 'retry',
    cause: 'invalid_status',
  })
})
