import { describe, expect, it } from 'vitest'
import { createReceiver } from './receiver.node.ts'
import type { ReceiverRequest } from './request.ts'
import { memoryInbox, signDelivery } from './testing/index.ts'
import { toFetch } from './to-fetch.ts'

const secret = 'feed_whsec_fetch_0123456789abcdef'
const event = {
  schema_version: '1.0',
  id: 'evt_fetch',
  type: 'cli_update',
  created_at: '2026-11-02T10:00:00Z',
  data: {
    provider: 'northwind-ai',
    category: 'products',
    subject: { type: null, key: null },
    title: 'Northwind CLI 2.0',
    summary: null,
    evidence: 'official_publication',
    confirmation: 'confirmed',
    source_url: 'https://northwind-ai.example/cli',
    source_published_at: null,
  },
}

function setup(options: { deadlineMs?: number } = {}) {
  const inbox = memoryInbox()
  const receiver = createReceiver({ secrets: [secret], inbox, ...options })
  return { inbox, receiver, handle: toFetch(receiver) }
}

function post(body: Uint8Array | ReadableStream, headers: Record<string, string>): Request {
  const init = { method: 'POST', headers, body, duplex: 'half' } as const
  return new Request('https://receiver.example/webhooks/feed', init)
}

describe('toFetch', () => {
  it('receives a delivery', async () => {
    const { handle, inbox } = setup()
    const { headers, body } = signDelivery(event, { secret })
    const response = await handle(post(body, headers))
    expect(response.status).toBe(202)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(await response.json()).toEqual({ status: 'stored', id: 'evt_fetch' })
    expect(inbox.entries.size).toBe(1)
  })

  it('rejects a body that was already read', async () => {
    const { handle } = setup()
    const { headers, body } = signDelivery(event, { secret })
    const request = post(body, headers)
    await request.json()
    const response = await handle(request)
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ code: 'body_already_read' })
  })

  // Like the requests of srvx, which h3 and Elysia use.
  it('rejects a body that was already read, if reading again throws', async () => {
    const { handle } = setup()
    const { headers, body } = signDelivery(event, { secret })
    const request = Object.defineProperty(post(body, headers), 'bodyUsed', {
      get() {
        throw new TypeError('Response body object should not be disturbed or locked')
      },
    })
    const response = await handle(request)
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ code: 'body_already_read' })
  })

  it('rejects a body that a proxy truncated at its own limit', async () => {
    const { handle, inbox } = setup()
    const { headers, body } = signDelivery(event, { secret })
    const length = String(body.length)
    const half = body.subarray(0, body.length / 2)
    const response = await handle(post(half, { ...headers, 'content-length': length }))
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ code: 'body_incomplete' })
    expect(inbox.entries.size).toBe(0)
  })

  it('stops reading 16 MiB over the size limit', async () => {
    const { handle } = setup()
    let pulled = 0
    const endless = new ReadableStream({
      pull(controller) {
        pulled += 1
        controller.enqueue(new Uint8Array(65_536))
      },
    })
    const { headers } = signDelivery(event, { secret })
    const response = await handle(post(endless, headers))
    expect(response.status).toBe(413)
    expect(pulled).toBeLessThan(17 * 16 + 9)
  })

  it('rejects one chunk that is more than 16 MiB over the size limit as too large', async () => {
    const { handle } = setup()
    const chunk = new ReadableStream({
      start: (controller) => controller.enqueue(new Uint8Array(18 * 1_048_576)),
    })
    const { headers } = signDelivery(event, { secret })
    const response = await handle(post(chunk, headers))
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ code: 'body_too_large' })
  })

  it('stops waiting at the deadline', async () => {
    const { handle } = setup({ deadlineMs: 300 })
    const { headers } = signDelivery(event, { secret })
    const response = await handle(
      post(new ReadableStream({ pull: () => new Promise(() => {}) }), headers),
    )
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ code: 'body_timeout' })
  })

  it('treats a body that breaks off as a client that disconnected', async () => {
    const { handle, inbox } = setup()
    const { headers } = signDelivery(event, { secret })
    const broken = new ReadableStream({
      start: (controller) => controller.error(new Error('aborted')),
    })
    const response = await handle(post(broken, headers))
    expect(await response.json()).toMatchObject({ code: 'client_gone' })
    expect(inbox.entries.size).toBe(0)
  })

  it('responds to GET without a body', async () => {
    const { handle } = setup()
    const response = await handle(new Request('https://receiver.example/webhooks/feed'))
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST')
  })
})

describe('receive', () => {
  it('reads headers in any case, and lists of values', async () => {
    const { receiver } = setup()
    const { headers, body } = signDelivery(event, { secret })
    const shouted = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]),
    )
    const request: ReceiverRequest = { method: 'POST', headers: shouted, body }
    expect((await receiver.receive(request)).status).toBe(202)
  })

  // A body from a stream of JavaScript values, as a server may create one. None of them are bytes.
  it.each([
    ['stored'],
    ['already_read'],
    [[115, 116]],
    [{ length: 4 }],
    [null],
    [new ArrayBuffer(4)],
  ])('rejects a stream of %j instead of misreading it', async (chunk) => {
    const { inbox, receiver } = setup()
    const { headers } = signDelivery(event, { secret })
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(chunk)
        controller.close()
      },
    })
    const reply = await receiver.receive({ method: 'POST', headers, body: stream })
    expect(reply.status).toBe(503)
    expect(reply.body).toContain('"code":"body_already_read"')
    expect(inbox.entries.size).toBe(0)
  })

  it('rejects a body that is a string', async () => {
    const { receiver } = setup()
    const { headers } = signDelivery(event, { secret })
    const body = 'stored' as unknown as Uint8Array
    const reply = await receiver.receive({ method: 'POST', headers, body })
    expect(reply.body).toContain('"code":"body_already_read"')
  })

  it('never cancels a body that it rejects', async () => {
    const { handle } = setup()
    const { headers } = signDelivery(event, { secret })
    let isCancelled = false
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
      cancel: () => void (isCancelled = true),
    })
    const init = { method: 'POST', headers, body, duplex: 'half' as const }
    expect((await handle(new Request('https://receiver.example/', init))).status).toBe(413)
    await new Promise((resolve) => setImmediate(resolve))
    expect(isCancelled).toBe(false)
  })
})
