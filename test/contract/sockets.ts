import { signDelivery } from '@feed-receiver/core/testing'
import { expect, it } from 'vitest'
import { makeEvent, padTo, path, secret } from './harness.ts'
import { nothing, type OpenSocket, type ServerTraits } from './session.ts'
import { chunked, requestBytes } from './wire.ts'

/** Requests on a raw socket, for every platform. */
export function socketCases(
  open: OpenSocket,
  { closesEarly = true, pipelines = true, limitsHeaders = true }: ServerTraits = {},
): void {
  it('accepts one delivery after the other on one connection', async () => {
    const { wire, holds } = await open()
    const connection = await wire()
    for (let count = 1; count <= 5; count += 1) {
      connection.send(requestBytes({ path, ...signDelivery(makeEvent(), { secret }) }))
      expect((await connection.answer()).status).toBe(202)
    }
    expect((await holds()).stored).toBe(5)
  })

  it.skipIf(!pipelines)('accepts three pipelined deliveries', async () => {
    const { wire, holds } = await open()
    const connection = await wire()
    const requests = [1, 2, 3].map(() =>
      requestBytes({ path, ...signDelivery(makeEvent(), { secret }) }),
    )
    connection.send(Buffer.concat(requests))
    for (const _ of requests) expect((await connection.answer()).status).toBe(202)
    expect((await holds()).stored).toBe(3)
  })

  it('continues after a 401 on the same connection if the body was read', async () => {
    const { wire } = await open()
    const connection = await wire()
    const { headers } = signDelivery(makeEvent(), { secret })
    connection.send(requestBytes({ path, headers, body: Buffer.from('forged') }))
    expect((await connection.answer()).status).toBe(401)
    connection.send(requestBytes({ path, ...signDelivery(makeEvent(), { secret }) }))
    expect((await connection.answer()).status).toBe(202)
  })

  it.each([1, 7, 100_000])('202 for a body in chunks of %i bytes', async (size) => {
    const { wire, holds } = await open()
    const { headers, body } = signDelivery(makeEvent(), { secret })
    const connection = await wire()
    const chunkedHeaders = { ...headers, 'transfer-encoding': 'chunked' }
    connection.send(requestBytes({ path, headers: chunkedHeaders, body: chunked(body, size) }))
    expect((await connection.answer()).status).toBe(202)
    expect((await holds()).stored).toBe(1)
  })

  it('202 for a body sent after 100 Continue', async () => {
    const { wire } = await open()
    const { headers, body } = signDelivery(makeEvent(), { secret })
    const connection = await wire()
    const length = String(body.length)
    connection.send(
      requestBytes({
        path,
        headers: { ...headers, expect: '100-continue', 'content-length': length },
      }),
    )
    connection.send(body)
    expect((await connection.answer()).status).toBe(202)
  })

  it('accepts two equal signature headers, and rejects two different ones', async () => {
    const { wire, holds } = await open()
    const { headers, body } = signDelivery(makeEvent(), { secret })
    const signature = headers['feed-signature'] ?? ''
    const statusOf = async (...signatures: string[]) => {
      const connection = await wire()
      const twice = { 'content-type': 'application/json', 'feed-signature': signatures }
      connection.send(requestBytes({ path, headers: twice, body }))
      return (await connection.answer()).status
    }
    expect(await statusOf(signature, `t=2${signature.slice(3)}`)).toBe(401)
    expect(await holds()).toEqual(nothing)
    expect(await statusOf(signature, signature)).toBe(202)
  })

  it('413 for one byte over the limit by Content-Length, and closes the connection', async () => {
    const { wire, deliver, holds } = await open()
    const bytes = requestBytes({ path, ...signDelivery(padTo(1_048_577), { secret }) })
    const connection = await wire()
    connection.send(bytes)
    const answer = await connection.answer()
    expect(answer.status).toBe(413)
    expect(answer.headers.connection).toBe('close')
    expect(answer.body).toContain('"code":"body_too_large"')
    if (closesEarly) await connection.closed
    expect(await holds()).toEqual(nothing)
    expect((await deliver(makeEvent())).status).toBe(202)
  })

  it('413 for one byte over the limit in chunks, and closes the connection', async () => {
    const { wire, deliver, holds } = await open()
    const { headers, body } = signDelivery(padTo(1_048_577), { secret })
    const connection = await wire()
    const chunkedHeaders = { ...headers, 'transfer-encoding': 'chunked' }
    connection.send(requestBytes({ path, headers: chunkedHeaders, body: chunked(body, 65_536) }))
    const answer = await connection.answer()
    expect(answer.status).toBe(413)
    if (closesEarly) await connection.closed
    expect(await holds()).toEqual(nothing)
    expect((await deliver(makeEvent())).status).toBe(202)
  })

  it('413 before the body is sent, if its Content-Length is too large', async () => {
    const { wire } = await open()
    const { headers } = signDelivery(makeEvent(), { secret })
    const connection = await wire()
    connection.send(requestBytes({ path, headers: { ...headers, 'content-length': '50000000' } }))
    expect((await connection.answer()).status).toBe(413)
    if (closesEarly) await connection.closed
  })

  it('503 if the body is late, and closes the connection', async () => {
    const { wire, deliver, holds } = await open({ deadlineMs: 500 })
    const { headers, body } = signDelivery(makeEvent(), { secret })
    const connection = await wire()
    connection.send(requestBytes({ path, headers, body }).subarray(0, -1))
    const answer = await connection.answer()
    expect(answer.status).toBe(503)
    expect(answer.body).toContain('"code":"body_timeout"')
    if (closesEarly) await connection.closed
    expect(await holds()).toEqual(nothing)
    expect((await deliver(makeEvent())).status).toBe(202)
  })

  it('accepts a slow body before the deadline', async () => {
    const { wire } = await open()
    const bytes = requestBytes({ path, ...signDelivery(makeEvent(), { secret }) })
    const connection = await wire()
    for (let start = 0; start < bytes.length; start += 50) {
      connection.send(bytes.subarray(start, start + 50))
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect((await connection.answer()).status).toBe(202)
  })

  it.each<[string, string]>([
    ['a NUL in a header', `POST ${path} HTTP/1.1\r\nhost: a\r\nfeed-event-id: a\0b\r\n\r\n`],
    [
      'two lengths',
      `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n`,
    ],
    [
      'a length and chunks',
      `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n`,
    ],
    ['a length in hex', `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: 0x5\r\n\r\n`],
    ['a negative length', `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n`],
    ['a folded header', `POST ${path} HTTP/1.1\r\nhost: a\r\nfeed-event-id: a\r\n b\r\n\r\n`],
    ['a space before the colon', `POST ${path} HTTP/1.1\r\nhost : a\r\n\r\n`],
    [
      'an invalid chunk size',
      `POST ${path} HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n`,
    ],
    ...(limitsHeaders ? [longHeaders] : []),
    ['bytes that are not HTTP', 'hello\r\n\r\n'],
  ])('continues and stores nothing after %s', async (_, bytes) => {
    const { wire, deliver, holds } = await open()
    const connection = await wire()
    connection.send(Buffer.from(bytes, 'latin1'))
    await connection.closed
    expect(await holds()).toEqual(nothing)
    expect((await deliver(makeEvent())).status).toBe(202)
  })
}

const longHeaders: [string, string] = [
  'endless headers',
  `POST ${path} HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(20_000)}`,
]

/** Separate, because many frameworks create a URL from the Host before they route. */
export function hostCases(open: OpenSocket, { badHostStatus = 202 }: ServerTraits = {}): void {
  const statusOf = (host: string) =>
    typeof badHostStatus === 'number' ? badHostStatus : (badHostStatus[host] ?? 202)
  const hosts = ['[', 'a b', '', 'a:b:c'].map((host) => [statusOf(host), host] as const)
  it.each(hosts)('answers %i to the host %j', async (status, host) => {
    const { wire } = await open()
    const { headers, body } = signDelivery(makeEvent(), { secret })
    const connection = await wire()
    connection.send(requestBytes({ path, headers: { host, ...headers }, body }))
    expect((await connection.answer()).status).toBe(status)
  })
}
