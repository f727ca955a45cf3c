import { describe, expect, it } from 'vitest'
import { createReceiver } from './receiver.node.ts'
import { memoryInbox, signDelivery } from './testing/index.ts'
import { fromLambda, toLambda, type LambdaEvent } from './to-lambda.ts'

const secret = 'feed_whsec_lambda_0123456789abcdef'
const event = {
  schema_version: '1.0',
  id: 'evt_lambda',
  type: 'cli_update',
  created_at: '2026-11-02T10:00:00Z',
  data: {
    provider: 'northwind-ai',
    category: 'products',
    subject: { type: null, key: null },
    title: 'Northwind CLI 2.0 für alle 🚀',
    summary: null,
    evidence: 'official_publication',
    confirmation: 'confirmed',
    source_url: 'https://northwind-ai.example/cli',
    source_published_at: null,
  },
}

function setup() {
  const inbox = memoryInbox()
  const receiver = createReceiver({ secrets: [secret], inbox, observe: () => {} })
  return { inbox, handle: toLambda(receiver) }
}

const http = { requestContext: { http: { method: 'POST' } } }

/** A signed delivery, and its body as text. */
function sign(of: object | Uint8Array = event) {
  const { headers, body } = signDelivery(of, { secret })
  return { headers, text: Buffer.from(body).toString(), bytes: Buffer.from(body) }
}

describe('toLambda', () => {
  it('receives format 2.0, as text and as base64', async () => {
    const { handle, inbox } = setup()
    const { headers, text, bytes } = sign()
    const first = await handle({ ...http, headers, body: text, isBase64Encoded: false })
    expect(first).toEqual({
      statusCode: 202,
      headers: { 'content-type': 'application/json; charset=utf-8', 'content-length': '37' },
      body: '{"status":"stored","id":"evt_lambda"}',
    })
    const body = bytes.toString('base64')
    expect((await handle({ ...http, headers, body, isBase64Encoded: true })).statusCode).toBe(200)
    const [stored] = inbox.entries.values()
    expect(Buffer.from(stored?.body ?? []).equals(bytes)).toBe(true)
  })

  it.each([{ ...event }, [event], 7, true])(
    'answers 503 and not 401 to a body that middleware has parsed: %j',
    async (body) => {
      const { handle } = setup()
      const { headers } = sign()
      // Middleware does not keep to the types.
      const parsed = { ...http, headers, body } as unknown as LambdaEvent
      const { statusCode, body: text } = await handle(parsed)
      expect([statusCode, text]).toEqual([503, expect.stringContaining('body_already_read')])
    },
  )

  it('receives bytes that middleware has decoded', async () => {
    const { handle } = setup()
    const { headers, bytes } = sign()
    const decoded = { ...http, headers, body: bytes } as unknown as LambdaEvent
    expect((await handle(decoded)).statusCode).toBe(202)
  })

  it('receives format 1.0, which keeps the case of header names', async () => {
    const { handle } = setup()
    const { headers, text: body } = sign()
    const named = { 'Feed-Signature': headers['feed-signature'] ?? '' }
    const lists = { 'Feed-Signature': [named['Feed-Signature']] }
    const post = { httpMethod: 'POST', body, isBase64Encoded: false }
    expect((await handle({ ...post, headers: named, multiValueHeaders: null })).statusCode).toBe(
      202,
    )
    expect((await handle({ ...post, headers: null, multiValueHeaders: lists })).statusCode).toBe(
      200,
    )
  })

  const balanced = {
    requestContext: {
      elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:…:targetgroup/feed/1' },
    },
    httpMethod: 'POST',
    path: '/webhooks/feed',
    isBase64Encoded: false,
  }

  it('answers a load balancer with multi-value headers in lists, because it reads no others', async () => {
    const { handle } = setup()
    const { headers, text: body } = sign()
    const lists = Object.entries(headers).map(([name, value]) => [name, [value]])
    const post = { ...balanced, multiValueHeaders: Object.fromEntries(lists), body }
    expect(await handle(post)).toEqual({
      statusCode: 202,
      headers: {},
      multiValueHeaders: {
        'content-type': ['application/json; charset=utf-8'],
        'content-length': ['37'],
      },
      body: '{"status":"stored","id":"evt_lambda"}',
    })
    const { multiValueHeaders } = await handle({ ...post, httpMethod: 'GET', body: '' })
    expect(multiValueHeaders).toMatchObject({ allow: ['POST'] })
  })

  it('answers a load balancer without multi-value headers in single values', async () => {
    const { handle } = setup()
    const { headers, text: body } = sign()
    expect(await handle({ ...balanced, headers, body })).toEqual({
      statusCode: 202,
      headers: { 'content-type': 'application/json; charset=utf-8', 'content-length': '37' },
      body: '{"status":"stored","id":"evt_lambda"}',
    })
  })

  it.each<[string, number, (signature: string) => string[]]>([
    ['equal copies', 202, (signature) => [signature, signature]],
    ['a copy that a gateway has replaced', 202, (signature) => ['sha256=0', signature]],
    ['the parts of a split header', 202, (signature) => signature.split(',')],
    ['another copy that has the form', 401, (signature) => [`t=2${signature.slice(3)}`, signature]],
  ])('reads all values of a signature header: %s', async (_, status, split) => {
    const { handle } = setup()
    const { headers, text: body } = sign()
    const signature = headers['feed-signature'] ?? ''
    const { statusCode } = await handle({
      httpMethod: 'POST',
      headers: { ...headers, 'feed-signature': 'sha256=0' },
      multiValueHeaders: { 'Feed-Signature': split(signature) },
      body,
    })
    expect(statusCode).toBe(status)
  })

  it('reads `headers` if the lists are empty, as emulators send them', async () => {
    const { handle } = setup()
    const { headers, text: body } = sign()
    const post = { httpMethod: 'POST', headers, multiValueHeaders: {}, body }
    expect((await handle(post)).statusCode).toBe(202)
  })

  it('answers 405 to a GET without a body', async () => {
    const { handle } = setup()
    const result = await handle({ requestContext: { http: { method: 'GET' } }, headers: {} })
    expect(result).toMatchObject({ statusCode: 405, headers: { allow: 'POST' } })
  })

  it('answers 401 to a POST without a body', async () => {
    const { handle } = setup()
    const { headers } = sign()
    expect((await handle({ ...http, headers, body: null })).statusCode).toBe(401)
  })

  it('answers 413 to a body over the limit', async () => {
    const { handle } = setup()
    const { headers } = sign()
    const body = Buffer.alloc(1_048_577, 'x').toString('base64')
    expect((await handle({ ...http, headers, body, isBase64Encoded: true })).statusCode).toBe(413)
  })

  it('answers 503 instead of 401 if Lambda replaced bytes that are not UTF-8', async () => {
    const { handle, inbox } = setup()
    const { headers, text: body, bytes } = sign(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]))
    const all = { ...headers, 'content-length': String(bytes.length) }
    const replaced = await handle({ ...http, headers: all, body, isBase64Encoded: false })
    expect(replaced.statusCode).toBe(503)
    expect(replaced.body).toContain('"code":"body_already_read"')
    const base64 = bytes.toString('base64')
    const whole = await handle({ ...http, headers: all, body: base64, isBase64Encoded: true })
    expect(whole.statusCode).toBe(202)
    expect(inbox.quarantined).toMatchObject([{ reason: 'not_json' }])
  })

  it('accepts an event that contains the replacement character', async () => {
    const { handle } = setup()
    const { headers, text: body, bytes } = sign({ ...event, note: '\uFFFD' })
    const all = { ...headers, 'content-length': String(bytes.length) }
    expect((await handle({ ...http, headers: all, body })).statusCode).toBe(202)
  })

  it('answers 503 to a truncated body', async () => {
    const { handle } = setup()
    const { headers, text, bytes } = sign()
    const all = { ...headers, 'content-length': String(bytes.length) }
    const cut = await handle({ ...http, headers: all, body: text.slice(0, -10) })
    expect(cut.body).toContain('"code":"body_incomplete"')
  })

  it.each([
    ['an SQS message', { Records: [{ messageId: '1', body: '{}', eventSource: 'aws:sqs' }] }],
    ['a scheduled event', { version: '0', 'detail-type': 'Scheduled Event', detail: {} }],
    ['the test event of the Lambda console', { key1: 'value1' }],
    ['a WebSocket event', { requestContext: { routeKey: '$connect' } }],
    ['nothing', undefined],
  ])('rejects %s with a fix', async (_, other) => {
    const { handle } = setup()
    await expect(handle(other as unknown as LambdaEvent)).rejects.toMatchObject({
      name: 'FeedReceiverError',
      code: 'bad_event',
      message: expect.stringContaining('function URL, an API Gateway or a load balancer'),
    })
    expect(() => fromLambda(other as unknown as LambdaEvent)).toThrow('is not an HTTP request')
  })
})
