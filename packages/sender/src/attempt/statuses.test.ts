import { expect, onTestFinished, test } from 'vitest'
import { serve, serveRaw } from '../../test/serve.ts'
import { createSender } from '../create-sender.ts'
import { fixture } from '../fixtures/fixtures.ts'
import { virtualClock } from '../virtual-clock.ts'

const event = fixture('outage_updated')

function testSender() {
  const clock = virtualClock({ autoAdvance: true })
  const sender = createSender({ secret: 'feed_whsec_Zm9yIHRlc3RzIG9ubHk', clock })
  onTestFinished(() => sender.close())
  return sender
}

// Written out, so that it shares no logic with the code.
function expectedAfter(status: number): string {
  if (status < 300) return 'delivered after 1'
  const pausing = [400, 401, 403, 404, 405, 410, 422]
  return pausing.includes(status) ? 'paused after 1' : 'exhausted after 2'
}

test('ends or retries a delivery after each status from 200 to 599 as documented [R84, R159]', async () => {
  const { url, arrivals } = await serve((response, _number, { path }) =>
    response.writeHead(Number(path.split('?')[1])).end(),
  )
  const sender = testSender()
  const statuses = Array.from({ length: 400 }, (_, index) => index + 200)
  for (const status of statuses) {
    const to = `${url}?${status}`
    const { result, attempts } = await sender.deliver(event, { to, maxAttempts: 2 })
    expect([status, `${result} after ${attempts.length}`]).toEqual([status, expectedAfter(status)])
    expect(attempts.every((attempt) => attempt.status === status)).toBe(true)
  }
  // 100 delivered, 7 paused, and two attempts for the rest.
  expect(arrivals).toHaveLength(100 + 7 + 2 * 293)
})

test('accepts no status from 100 to 199 as an answer', async () => {
  const sender = testSender()
  let status = 0
  const { url } = await serveRaw((socket) => socket.end(`HTTP/1.1 ${status} Interim\r\n\r\n`))
  for (status = 100; status <= 199; status++) {
    const record = await sender.attempt(event, { to: url })
    expect([status, record.status, record.result]).toEqual([status, null, 'retry'])
    expect(record.nextDelayMs).toBe(30_000)
  }
})
