import type { Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { serve, serveRaw } from '../../test/serve.ts'
import { createSender } from '../create-sender.ts'
import { fixture } from '../fixtures/fixtures.ts'

const event = fixture('outage_started')
const accepted = 'HTTP/1.1 204 No Content\r\n\r\n'
const proceed = 'HTTP/1.1 100 Continue\r\n\r\n'

function testSender(deadlineMs = 10_000) {
  const sender = createSender({ secret: 'feed_whsec_Zm9yIHRlc3RzIG9ubHk', deadlineMs })
  onTestFinished(() => sender.close())
  return sender
}

describe('skips interim answers and uses the final status', () => {
  test.each([
    ['100 Continue', [proceed]],
    ['102 Processing', ['HTTP/1.1 102 Processing\r\n\r\n']],
    ['103 Early Hints', ['HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n']],
    ['an unknown one without a reason', ['HTTP/1.1 199 \r\n\r\n']],
    ['several', [proceed, 'HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n', proceed, proceed]],
  ])('%s', async (_name, interim) => {
    const { url } = await serveRaw((socket) => void socket.write(interim.join('') + accepted))
    const record = await testSender().attempt(event, { to: url })
    expect(record).toMatchObject({ status: 204, result: 'accepted', cause: 'accepted' })
  })

  test('if every byte arrives alone', async () => {
    const { url } = await serveRaw((socket) => void writeBytes(socket, proceed + accepted))
    expect(await testSender().attempt(event, { to: url })).toMatchObject({ status: 204 })
  })

  test('before a pausing status', async () => {
    const gone = 'HTTP/1.1 410 Gone\r\nContent-Length: 2\r\n\r\nno'
    const { url } = await serveRaw((socket) => void socket.write(proceed + gone))
    const record = await testSender().attempt(event, { to: url })
    expect(record).toMatchObject({ status: 410, result: 'pause', responseBody: 'no' })
  })

  test('on a reused connection, and never in a body', async () => {
    const ports = new Set<unknown>()
    const { url } = await serve((response) => {
      ports.add(response.socket?.remotePort)
      response.writeContinue()
      response.writeHead(200, { 'Content-Length': proceed.length }).flushHeaders()
      setImmediate(() => response.end(proceed))
    })
    const sender = testSender()
    for (let delivery = 0; delivery < 6; delivery++) {
      const record = await sender.attempt(event, { to: url })
      expect(record).toMatchObject({ status: 200, responseBody: proceed })
    }
    expect(ports.size).toBeLessThan(6)
  })
})

test.each([
  ['without end', proceed.repeat(50)],
  ['with an endless head', `HTTP/1.1 100 Continue\r\nX-Long: ${'x'.repeat(100_000)}`],
  ['of half a status line', 'HTTP/1.1 10'],
])('treats interim answers %s as no answer', async (_name, text) => {
  const { url } = await serveRaw((socket) => void socket.write(text))
  const record = await testSender(300).attempt(event, { to: url })
  expect(record).toMatchObject({ status: null, result: 'retry', nextDelayMs: 30_000 })
})

test('counts a connection that closes during an interim answer as a failure', async () => {
  const { url } = await serveRaw((socket) => socket.end('HTTP/1.1 100 Con'))
  expect(await testSender().attempt(event, { to: url })).toMatchObject({
    status: null,
    result: 'retry',
  })
})

async function writeBytes(socket: Socket, text: string): Promise<void> {
  socket.setNoDelay(true)
  for (const byte of text) await new Promise((resolve) => socket.write(byte, () => resolve(null)))
}
