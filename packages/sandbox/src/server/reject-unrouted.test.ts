import { METHODS } from 'node:http'
import { connect } from 'node:net'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { useSandbox } from '../../test/use-sandbox.ts'

/** Bodies that Fastify rejects by itself, each with the rest of the headers. */
const bodies: [what: string, rest: string][] = [
  ['no media type', 'Content-Type: nonsense\r\nContent-Length: 1\r\n\r\n{'],
  ['an empty Content-Type', 'Content-Type: \r\nContent-Length: 1\r\n\r\n{'],
  ['an unknown media type', 'Content-Type: a/b\r\nContent-Length: 1\r\n\r\n{'],
  ['invalid JSON', 'Content-Type: application/json\r\nContent-Length: 1\r\n\r\n{'],
  ['chunks without a type', 'Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n0\r\n\r\n'],
  ['too many bytes', 'Content-Type: application/json\r\nContent-Length: 2000000\r\n\r\n'],
  ['no body', '\r\n'],
]

const withBody = METHODS.filter((method) => !['GET', 'HEAD', 'CONNECT'].includes(method))
// Older releases of Node do not parse QUERY.
const isKnown = (method: string) => METHODS.includes(method)

describe('a request whose body Fastify would reject', () => {
  const made = useSandbox({ historyDays: 0 })
  beforeAll(() =>
    made().sandbox.control.changeAccount({ id: 'acct_sandbox', burstLimit: 1_000_000 }),
  )

  it.each(bodies)('gets 401 or is charged for its address first: %s', async (_, rest) => {
    for (const [path, status, others] of [
      ['/v1/events', 405, withBody],
      ['/v1/account-events/event_0', 405, ['POST']],
      [`/v1/account-events/event_${'0'.repeat(300)}`, 405, ['POST']],
      ['/v1/account-events/', 404, ['POST']],
      ['http://127.0.0.1/v1/events', 405, ['POST']],
      ['/v1/nothing', 404, ['POST', 'QUERY', 'PROPFIND']],
      ['/v1', 404, ['POST', 'QUERY']],
      ['http://127.0.0.1/v1/%', 400, ['POST']],
      ['/mcp', 405, withBody.filter((method) => method !== 'POST')],
      ['/mcp/tools', 404, ['POST', 'QUERY']],
    ] as const) {
      for (const method of others.filter(isKnown)) {
        const before = await requests()
        const known = await send(method, path, made().key, rest)
        expect([method, path, known.status]).toEqual([method, path, status])
        // The second look costs one, too.
        expect([method, path, (await requests()) - before]).toEqual([method, path, 2])
        const unknown = await send(method, path, 'feed_live_unknown', rest)
        expect([method, path, unknown.status]).toEqual([method, path, 401])
      }
    }
  })

  it.each(bodies)('to the control page gets 401, 404 or 405 first: %s', async (_, rest) => {
    for (const [method, path, status] of [
      ['POST', '/_sandbox/api/clock', 405],
      ['QUERY', '/_sandbox/api/clock', 405],
      ['PROPFIND', '/_sandbox/api/choices', 405],
      ['PUT', '/_sandbox/api/reset', 405],
      ['OPTIONS', '/_sandbox/api/reset', 405],
      ['POST', '/_sandbox/api/nothing', 404],
      ['POST', '/_sandbox/api/constructor', 404],
      ['POST', '/_sandbox/', 404],
      ['QUERY', '/_sandbox/assets/x', 404],
      ['POST', '/_sandbox/%', 400],
    ] as const) {
      if (!isKnown(method)) continue
      const known = await send(method, path, made().sandbox.session, rest)
      expect([method, path, known.status]).toEqual([method, path, status])
      const unknown = await send(method, path, 'feed_session_unknown', rest)
      expect([method, path, unknown.status]).toEqual([method, path, 401])
    }
  })

  it.each(bodies)('to a public address gets 404 or 405 without a charge: %s', async (_, rest) => {
    const before = await requests()
    for (const method of withBody) {
      for (const path of ['/v1/schema.json', '/developers']) {
        const rejected = await send(method, path, 'feed_live_unknown', rest)
        expect([method, path, rejected.status]).toEqual([method, path, 405])
        expect(rejected.head).toContain('\r\nallow: GET, HEAD\r\n')
      }
      for (const path of ['/', '/nothing']) {
        const rejected = await send(method, path, made().key, rest)
        expect([method, path, rejected.status]).toEqual([method, path, 404])
      }
    }
    expect((await requests()) - before).toBe(1)
  })

  it('names the method of an action', async () => {
    const { sandbox } = made()
    const read = await send('POST', '/_sandbox/api/clock', sandbox.session, '\r\n')
    expect(read.head).toContain('\r\nallow: GET, HEAD\r\n')
    const change = await send('DELETE', '/_sandbox/api/reset', sandbox.session, '\r\n')
    expect(change.head).toContain('\r\nallow: POST\r\n')
  })

  it('as CONNECT is malformed', async () => {
    expect(await send('CONNECT', '/v1/events', made().key, '\r\n')).toMatchObject({ status: 400 })
  })

  it('as CONNECT keeps no connection, although the client leaves it open', async () => {
    const port = Number(new URL(made().sandbox.url).port)
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    socket.write(`CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n${'x'.repeat(200_000)}`)
    socket.resume()
    await once(socket, 'end')
    await expect
      .poll(async () => {
        socket.write('more')
        return await new Promise((resolve) => {
          socket.once('error', () => resolve('reset'))
          setTimeout(resolve, 50, 'open')
        })
      })
      .toBe('reset')
  })

  async function requests(): Promise<number> {
    return (await made().get('/v1/events')).body.usage.requests
  }

  /** The answer to bytes as they are; its body is always the error object. */
  async function send(method: string, path: string, token: string, rest: string) {
    const socket = connect(Number(new URL(made().sandbox.url).port), '127.0.0.1')
    socket.write(
      `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n` +
        `Authorization: Bearer ${token}\r\n${rest}`,
    )
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
    expect(JSON.parse(body)).toEqual({ error: expect.any(String), code: expect.any(String) })
    expect(head.toLowerCase()).toContain('\r\ncontent-type: application/json')
    expect(head.toLowerCase()).toContain('\r\ncache-control: no-store')
    return { status: Number(head.split(' ')[1]), head }
  }
})
