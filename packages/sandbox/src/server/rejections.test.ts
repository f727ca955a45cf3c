import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { useSandbox, type Answer } from '../../test/use-sandbox.ts'

const accountPath = '/v1/account-events'
const types = [
  'model_fit.transitioned',
  'capability.changed',
  'model_value.frontier_changed',
  'action.changed',
  'review.reopened',
]
const allTypes = types.map((type) => `type=${type}`).join('&')

describe('a request', () => {
  const made = useSandbox({ historyDays: 2 })

  it.each([
    // The size of a page is rejected and not cut (R97, R127).
    '/v1/events?limit=0',
    '/v1/events?limit=201',
    '/v1/events?limit=-1',
    '/v1/events?limit=%2B5',
    '/v1/events?limit=5.0',
    '/v1/events?limit=1e2',
    '/v1/events?limit=0x10',
    '/v1/events?limit=05',
    '/v1/events?limit=',
    '/v1/events?limit',
    '/v1/events?limit=ten',
    '/v1/events?limit=%D9%A5',
    '/v1/events?limit=5&limit=5',
    `/v1/events?limit=${'9'.repeat(400)}`,
    `${accountPath}?limit=101`,
    `${accountPath}?limit=0`,
    // Filters: what is well-formed and unknown is no error, what is not is.
    '/v1/events?provider=',
    '/v1/events?provider=Tessera',
    '/v1/events?provider=a%20b',
    '/v1/events?provider=%00',
    '/v1/events?provider=%F0%9F%9A%80',
    "/v1/events?provider='%3B--",
    `/v1/events?provider=${'a'.repeat(65)}`,
    '/v1/events?provider=a&provider=b',
    '/v1/events?type=',
    '/v1/events?type=Outage',
    '/v1/events?type=outage&type=outage',
    '/v1/events?type=..%2F..',
    '/v1/events?confirmation=',
    '/v1/events?confirmation=unconfirmed',
    '/v1/events?confirmation=ALL',
    '/v1/events?confirmation=all&confirmation=all',
    // Times (R103, R107).
    '/v1/events?after=',
    '/v1/events?after=yesterday',
    '/v1/events?after=2026-09-01',
    '/v1/events?after=2026-09-01T12:00:00',
    '/v1/events?after=2026-02-30T12:00:00Z',
    '/v1/events?after=1790000000',
    '/v1/events?after=2026-09-01T12:00:00+02:00',
    '/v1/events?after=2026-09-01T12:00:00Z&after=2026-09-01T12:00:00Z',
    '/v1/events?after=0000-01-01T00:00:00Z',
    '/v1/events?after=0001-01-01T00:00:00%2B00:01',
    '/v1/events?after=9999-12-31T23:59:59-00:01',
    '/v1/events?after=10000-01-01T00:00:00Z',
    '/v1/events?after=%2B010000-01-01T00:00:00Z',
    '/v1/events?after=2026-09-01T12:00:00%2B16:00',
    '/v1/events?after=2026-09-01T12:00:00-16:00',
    '/v1/events?after=2026-09-01T12:00:00%2B23:59',
    `/v1/events?after=2026-09-01T12:00:00.${'1'.repeat(300)}Z`,
    '/v1/events?after=infinity',
    `/v1/events?after=2026-09-01T12:00:00Z&cursor=${'A'.repeat(56)}`,
    // Cursors (R99, R124, R128).
    '/v1/events?cursor=',
    '/v1/events?cursor=x',
    `/v1/events?cursor=${'A'.repeat(56)}`,
    `/v1/events?cursor=${'A'.repeat(2001)}`,
    `/v1/events?cursor=${'A'.repeat(65_536)}`,
    `/v1/events?cursor=${'%00'.repeat(500)}`,
    '/v1/events?cursor=a&cursor=b',
    `${accountPath}?cursor=`,
    `${accountPath}?cursor=${'A'.repeat(2000)}`,
    `${accountPath}?cursor=${'A'.repeat(2001)}`,
    `${accountPath}?cursor=${'A'.repeat(65_536)}`,
    // Types of account events (R129, R130).
    `${accountPath}?type=`,
    `${accountPath}?type=outage_started`,
    `${accountPath}?type=${types[0]}&type=${types[0]}`,
    `${accountPath}?${allTypes}&type=${types[0]}`,
    `${accountPath}?type=${types[0]},${types[1]}`,
    `${accountPath}?type[]=${types[0]}`,
    `${accountPath}?type%5B0%5D=${types[0]}`,
    `${accountPath}?subjectType=`,
    `${accountPath}?subjectType=model`,
    `${accountPath}?subjectType=customer_checklist&subjectType=customer_checklist`,
  ])(
    'is rejected for its parameters: %.80s [R77, R79, R80, R97, R102, R107, R127, R128, R129, R130, R245]',
    async (path) => {
      const answer = await made().get(path)
      expect(shapeOf(answer)).toEqual(rejected(400, 'invalid_request'))
      await unlimit()
    },
  )

  it.each([
    '/v1/events?unknown=1',
    '/v1/events?unknown=1&unknown=2&__proto__=x&constructor=y',
    '/v1/events?limit=200&provider=nobody&type=never_heard.of-it',
    '/v1/events?LIMIT=0',
    '/v1/events?type[]=x',
    '/v1/events?',
    '/v1/events?%zz=%zz',
    `/v1/events?${'a=1&'.repeat(5000)}`,
    `${accountPath}?unknown=1`,
    `${accountPath}?${allTypes}`,
  ])('is accepted with unknown or well-formed parameters: %.80s [R111]', async (path) => {
    expect((await made().get(path)).status).toBe(200)
    await unlimit()
  })

  it.each([
    ['/v1/events/evt_1', 404],
    ['/v1/events/', 404],
    ['/v1/Events', 404],
    ['/v1//events', 404],
    ['/v1/%65vents%2F', 404],
    ['/v1/account-events/', 404],
    ['/v1/account-events/a/b', 404],
    [`/v1/account-events/${'x'.repeat(60_000)}`, 404],
    ['/v1/', 404],
    ['/v1/%', 400],
    ['/v1/events%ff', 400],
  ])('is rejected for its address after the key check: %.40s [R244]', async (path, status) => {
    const { get } = made()
    const code = status === 404 ? 'not_found' : 'invalid_request'
    expect(shapeOf(await get(path))).toEqual(rejected(status, code))
    expect(shapeOf(await get(path, { key: null }))).toEqual(rejected(401, 'unauthorized'))
    await unlimit()
  })

  it.each(['/', '/v2/events', '/_sandbox', '/%', '/favicon.ico', `/${'x'.repeat(60_000)}`])(
    'is rejected for an unknown address: %.40s',
    async (path) => {
      const answer = await made().get(path, { key: null })
      expect([400, 401, 404]).toContain(answer.status)
      expect(shapeOf(answer)).toEqual(rejected(answer.status, answer.body.code))
    },
  )

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'PURGE'])(
    'is rejected for its method: %s [R6]',
    async (method) => {
      const { get } = made()
      for (const path of ['/v1/events', accountPath, `${accountPath}/event_0`]) {
        const body = method === 'OPTIONS' ? {} : { body: 'x'.repeat(2_000_000) }
        const answer = await get(path, { method, ...body })
        expect(shapeOf(answer)).toEqual(rejected(405, 'method_not_allowed'))
        expect(answer.headers.get('allow')).toBe('GET, HEAD')
        expect(shapeOf(await get(path, { method, key: null }))).toEqual(
          rejected(401, 'unauthorized'),
        )
      }
      await unlimit()
    },
  )

  it('gets only the headers of its rejection [R110, R123]', async () => {
    const { get, sandbox } = made()
    const { control } = sandbox
    const change = (changes: object) => control.changeAccount({ id: 'acct_sandbox', ...changes })
    expect(special(await get('/v1/events?limit=0'))).toEqual([])
    expect(special(await get('/v1/events', { key: null }))).toEqual(['www-authenticate'])
    await change({ proActive: false })
    expect(special(await get('/v1/events'))).toEqual([])
    await change({ proActive: true, burstLimit: 1 })
    await get('/v1/events')
    expect(special(await get('/v1/events?limit=0'))).toEqual([
      'retry-after',
      'x-ratelimit-limit',
      'x-ratelimit-remaining',
      'x-ratelimit-reset',
      'x-ratelimit-scope',
    ])
    // What comes first in the order of checks is what is answered (R123).
    await change({ proActive: false })
    expect((await get('/v1/events')).status).toBe(403)
    await change({ proActive: true, burstLimit: 1_000_000 })
  })

  it('gets no body for HEAD and is charged [R244]', async () => {
    const { get } = made()
    const head = await get('/v1/events', { method: 'HEAD' })
    expect([head.status, head.text]).toEqual([200, ''])
    expect(head.headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/)
    expect((await get('/v1/events?limit=0', { method: 'HEAD' })).status).toBe(400)
  })

  it.each([
    ['not HTTP', 'hello\r\n\r\n', 400],
    ['an unknown method', 'HELLO /v1/events HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['an expectation', 'GET /v1/events HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\n\r\n', 401],
    [
      'an upgrade',
      'GET /v1/events HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
      401,
    ],
    ['no Host', 'GET /v1/events HTTP/1.1\r\n\r\n', 400],
    ['a broken header', 'GET /v1/events HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n', 400],
    [
      'two lengths',
      'POST /v1/events HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
    ],
    [
      'a header of 300 KB',
      `GET /v1/events HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(300_000)}\r\n\r\n`,
      431,
    ],
    [
      'an address of 300 KB',
      `GET /v1/events?cursor=${'x'.repeat(300_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      431,
    ],
    [
      'an absolute address',
      'GET http://x/v1/events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      401,
    ],
  ])('is rejected with an error object: %s [R77, R143]', async (_, request, status) => {
    const { head, body } = await sendRaw(made().sandbox.url, request)
    expect(head).toContain(`HTTP/1.1 ${status} `)
    expect(head.toLowerCase()).toContain('content-type: application/json')
    expect(head.toLowerCase()).toContain('cache-control: no-store')
    expect(JSON.parse(body)).toEqual({ error: expect.any(String), code: expect.any(String) })
  })

  // Node 20 leaves out what is more than 2,000, and Node 24 rejects it.
  it.each([3000, 60_000])('is rejected with an error object with %i headers', async (count) => {
    const request = `GET /v1/events HTTP/1.1\r\nHost: x\r\n${'X: y\r\n'.repeat(count)}\r\n`
    const { head, body } = await sendRaw(made().sandbox.url, request)
    expect(head).toMatch(/^HTTP\/1\.1 4(?:01|31) /)
    expect(JSON.parse(body)).toEqual({ error: expect.any(String), code: expect.any(String) })
  })

  it('is in the journal with its reason, without its query or key', async () => {
    const { get, act, sandbox, key } = made()
    await get(`/v1/events?cursor=${'B'.repeat(56)}`)
    await get(`/v1/${key}`)
    await get('/v1/events', { key: 'feed_live_wrong' })
    const [third, second, first] = await sandbox.control.listRequests({ limit: 3 })
    expect(first).toMatchObject({
      path: '/v1/events',
      status: 400,
      reason: 'bad_cursor',
      accountId: 'acct_sandbox',
      charged: true,
    })
    expect(second).toMatchObject({ path: '/v1/feed_live_…', reason: 'not_found', charged: true })
    expect(third).toMatchObject({ reason: 'bad_key', accountId: null, charged: false })
    expect((await act('no-such-action')).status).toBe(404)
  })

  /** The table is longer than a minute's requests. */
  async function unlimit(): Promise<void> {
    await made().sandbox.control.changeAccount({ id: 'acct_sandbox', burstLimit: 1_000_000 })
  }
})

/** What all rejections have in common, with what tells them apart. */
function shapeOf({ status, headers, body }: Answer) {
  const type = headers.get('content-type')?.split(';')[0]
  return { status, type, cache: headers.get('cache-control'), body }
}

function rejected(status: number, code: string) {
  const body = { error: expect.any(String), code }
  return { status, type: 'application/json', cache: 'no-store', body }
}

function special({ headers }: Answer): string[] {
  const usual = [
    'cache-control',
    'connection',
    'content-length',
    'content-type',
    'date',
    'keep-alive',
  ]
  return [...headers.keys()].filter((name) => !usual.includes(name)).toSorted()
}

/** Sends bytes as they are, and reads one answer. */
async function sendRaw(url: string, request: string): Promise<{ head: string; body: string }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(request)
  let text = ''
  for await (const chunk of socket) {
    text += String(chunk)
    const [head = '', body] = text.split('\r\n\r\n')
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
    if (body !== undefined && Buffer.byteLength(body) >= length) break
  }
  socket.destroy()
  const [head = '', body = ''] = text.split('\r\n\r\n')
  return { head, body }
}
