import { createServer, request as sendRequest, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { connect, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Observation } from './delivery.ts'
import type { ReceiverOptions } from './options.ts'
import { createReceiver as createNodeReceiver } from './receiver.node.ts'
import { createReceiver as createWebReceiver } from './receiver.web.ts'
import { fromNode } from './from-node.ts'
import type { Body } from './request.ts'
import { causeOf } from './rejections/cause-of.ts'
import { memoryInbox, signDelivery } from './testing/index.ts'
import { toFetch } from './to-fetch.ts'

const secret = 'feed_whsec_of_bodies_0123456789abcdef'
const { headers, body: signed } = signDelivery({ id: 'evt_body' }, { secret })
const bytes = Uint8Array.from(signed)

/** Bytes of another realm, such as those of an app within a test of Jest. */
function fromOtherRealm(kind: 'Uint8Array' | 'ArrayBuffer'): Uint8Array | ArrayBuffer {
  const foreign: Uint8Array = runInNewContext('Uint8Array.from(bytes)', { bytes: [...bytes] })
  expect(foreign instanceof Uint8Array).toBe(false)
  return kind === 'Uint8Array' ? foreign : (foreign.buffer as ArrayBuffer)
}

function lockedStream(): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { body } = new Request('http://localhost', { method: 'POST', body: bytes })
  if (!body) throw new Error('A request with a body has a stream.')
  body.getReader()
  return body
}

async function* chunksOf(count: number, onRead: () => void) {
  for (let read = 0; read < count; read += 1) {
    onRead()
    yield new Uint8Array(65_536)
  }
}

describe.each([
  { runtime: 'Node', createReceiver: createNodeReceiver },
  { runtime: 'the web', createReceiver: createWebReceiver },
])('a receiver on $runtime', ({ createReceiver }) => {
  async function receive(body: unknown, options: Partial<ReceiverOptions> = {}) {
    const observations: Observation[] = []
    const receiver = createReceiver({
      secrets: [secret],
      inbox: memoryInbox(),
      observe: (observation) => observations.push(observation),
      ...options,
    })
    // Callers without TypeScript pass anything.
    const { status } = await receiver.receive({ method: 'POST', headers, body: body as Body })
    const [observation] = observations
    return { status, reason: observation?.reason, cause: observation && causeOf(observation) }
  }

  it.each<[string, () => unknown]>([
    ['an ArrayBuffer', () => bytes.buffer],
    ['a DataView', () => new DataView(bytes.buffer)],
    ['a view of a part', () => Buffer.concat([Buffer.from('{'), bytes]).subarray(1)],
    ['a Uint8Array of another realm', () => fromOtherRealm('Uint8Array')],
    ['an ArrayBuffer of another realm', () => fromOtherRealm('ArrayBuffer')],
    [
      'chunks of another realm',
      async function* chunks() {
        yield fromOtherRealm('Uint8Array')
      },
    ],
  ])('reads %s', async (_, body) => {
    expect(await receive(body())).toMatchObject({ status: 202 })
  })

  it.each<[string, unknown]>([
    ['Object', { id: 'evt_body' }],
    ['Blob', new Blob([bytes])],
    ['Undefined', undefined],
    ['Null', null],
    ['Number', 7],
    ['String', '{"id":"evt_body"}'],
  ])('names the type of a body that is no raw body: %s', async (type, body) => {
    expect(await receive(body)).toEqual({
      status: 503,
      reason: 'body_already_read',
      cause: expect.stringContaining(`of the type ${type}. Pass the raw bytes`),
    })
  })

  it.each([
    ['iterables', chunksOf],
    ['Node streams', (size: number, onRead: () => void) => Readable.from(chunksOf(size, onRead))],
  ])('answers a small delivery before large forged bodies are read: %s', async (_, toBody) => {
    const receiver = createReceiver({
      secrets: [secret],
      inbox: memoryInbox(),
      observe: () => {},
    })
    const receiveBody = (body: Body) => receiver.receive({ method: 'POST', headers, body })
    const [bodies, chunksEach] = [32, 16]
    let read = 0
    const forged = Array.from({ length: bodies }, () =>
      receiveBody(toBody(chunksEach, () => (read += 1))),
    )
    // It arrives in two turns of the event loop.
    const { status } = await receiveBody(
      (async function* halves() {
        yield bytes.subarray(0, 10)
        await new Promise((resolve) => setImmediate(resolve))
        yield bytes.subarray(10)
      })(),
    )
    expect(status).toBe(202)
    expect(read).toBeLessThan((bodies * chunksEach) / 2)
    const answers = await Promise.all(forged)
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([401]))
  })

  it('reads 16 MiB over the limit at most, so that the sender sees the 413', async () => {
    let read = 0
    const body = chunksOf(Infinity, () => (read += 1))
    expect(await receive(body)).toMatchObject({ status: 413, reason: 'body_too_large' })
    expect(read).toBe(17 * 16 + 1)
  })

  it('waits a quarter of the deadline at most for the rest of a body that is too large', async () => {
    const never = new Promise<void>(() => {})
    const body = (async function* endless() {
      yield new Uint8Array(2 * 1_048_576)
      await never
    })()
    const answered = receive(body, { deadlineMs: 400 })
    expect(await answered).toMatchObject({ status: 413, reason: 'body_too_large' })
  })

  it('gives no place to a body that is too large', async () => {
    const inbox = memoryInbox()
    const limits = { maxUnfinishedBodies: 1, maxBodyBytes: bytes.length, deadlineMs: 4_000 }
    const receiver = createReceiver({ secrets: [secret], inbox, observe: () => {}, ...limits })
    let endAll = () => {}
    const end = new Promise<void>((resolve) => (endAll = resolve))
    async function* until(first: Uint8Array, rest: Uint8Array) {
      yield first
      await end
      yield rest
    }
    const receiveBody = (body: Body) => receiver.receive({ method: 'POST', headers, body })
    const incomplete = receiveBody(until(bytes.subarray(0, 10), bytes.subarray(10)))
    const tooLarge = until(new Uint8Array(bytes.length + 1), bytes)
    const large = receiver.receive({
      method: 'POST',
      headers: { ...headers, 'content-length': String(2 * bytes.length + 1) },
      body: tooLarge,
    })
    endAll()
    expect([(await large).status, (await incomplete).status]).toEqual([413, 202])
  })

  it.each(['by a signal', 'by its observer'])(
    'has stopped only after its caller has the last answer, if stopped %s',
    async (by) => {
      let store = () => {}
      const stored = new Promise<void>((resolve) => (store = resolve))
      const order: string[] = []
      const stop = async () => {
        await receiver.stop()
        order.push('stopped')
      }
      let stopping: Promise<void> | undefined
      const receiver = createReceiver({
        secrets: [secret],
        inbox: { ...memoryInbox(), quarantine: () => stored },
        observe: () => void (stopping ??= stop()),
      })
      const handle = toFetch(receiver)
      const serve = async () => {
        await handle(new Request('https://localhost', { method: 'POST', headers, body: bytes }))
        order.push('answered')
      }
      const serving = serve()
      await delay(10)
      if (by === 'by a signal') stopping = stop()
      store()
      await serving
      await stopping
      expect(order).toEqual(['answered', 'stopped'])
    },
  )

  it('stops without waiting for a request that begins during the shutdown', async () => {
    let store = () => {}
    const stored = new Promise<void>((resolve) => (store = resolve))
    const inbox = { ...memoryInbox(), quarantine: () => stored }
    const receiver = createReceiver({ secrets: [secret], inbox, observe: () => {} })
    const receiveBody = (body: Body) => receiver.receive({ method: 'POST', headers, body })
    const inFlight = receiveBody(bytes)
    const stopping = receiver.stop().then(() => 'stopped')
    let end = () => {}
    const ended = new Promise<void>((resolve) => (end = resolve))
    const late = receiveBody(
      (async function* slow() {
        yield bytes.subarray(0, 10)
        await ended
      })(),
    )
    store()
    expect(await Promise.race([stopping, delay(1_000, 'waiting')])).toBe('stopped')
    end()
    expect(await inFlight).toMatchObject({ status: 202 })
    const rejected = { status: 503, body: expect.stringContaining('"code":"shutting_down"') }
    expect(await late).toMatchObject(rejected)
  })

  it('says that a locked stream was read', async () => {
    expect(await receive(lockedStream())).toEqual({
      status: 503,
      reason: 'body_already_read',
      cause: null,
    })
  })
})

describe('the body of a Node request', () => {
  it('is complete although middleware reads it too, and the secrets load slowly', async () => {
    expect(await deliver((request) => void request.on('data', () => {}))).toBe(202)
  })

  it('is rejected with 503 if something has read a part of it', async () => {
    const stream = Readable.from([bytes.subarray(0, 10), bytes.subarray(10)])
    stream.once('data', () => stream.pause())
    await once(stream, 'pause')
    const receiver = createNodeReceiver({
      secrets: [secret],
      inbox: memoryInbox(),
      observe: () => {},
    })
    const { status, body } = await receiver.receive({ method: 'POST', headers, body: stream })
    expect([status, body]).toEqual([503, expect.stringContaining('body_already_read')])
  })

  it('is read although middleware paused the request before', async () => {
    const paused = async (request: IncomingMessage) => {
      request.pause()
      await delay(20)
    }
    expect(await deliver(paused)).toBe(202)
  })

  it('is read over HTTP/2, where an answer has no Connection header', async () => {
    const receiver = createNodeReceiver({
      secrets: [secret],
      inbox: memoryInbox(),
      observe: () => {},
      maxBodyBytes: bytes.length,
    })
    const server = createHttp2Server((request, response) => {
      void receiver
        .receive(fromNode(request))
        .then((reply) => response.writeHead(reply.status, reply.headers).end(reply.body))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const session = connect(`http://127.0.0.1:${port}`)
    onTestFinished(() => (session.destroy(), void server.close()))
    const statusOf = async (body: Uint8Array) => {
      const stream = session.request({ ':method': 'POST', ...headers })
      stream.end(body)
      const [answer] = (await once(stream, 'response')) as [Record<string, unknown>]
      expect(answer).not.toHaveProperty('connection')
      stream.resume()
      return answer[':status']
    }
    const statuses = [await statusOf(bytes), await statusOf(Buffer.concat([bytes, bytes]))]
    expect(statuses).toEqual([202, 413])
  })

  /** The status for a delivery in two halves, of which the second arrives later. */
  async function deliver(middleware: (request: IncomingMessage) => unknown): Promise<number> {
    const receiver = createNodeReceiver({
      secrets: async () => (await delay(100), [secret]),
      inbox: memoryInbox(),
      observe: () => {},
      deadlineMs: 3_000,
    })
    const answer = async (request: IncomingMessage) => {
      const waiting = middleware(request)
      if (waiting instanceof Promise) await waiting
      return await receiver.receive(fromNode(request))
    }
    const server = createServer((request, response) => {
      void answer(request).then(({ status }) => response.writeHead(status).end())
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const sending = sendRequest({ port, method: 'POST', headers: { ...headers } })
    const answered = once(sending, 'response')
    sending.write(bytes.subarray(0, 10))
    await delay(50)
    sending.end(bytes.subarray(10))
    const [response] = (await answered) as [IncomingMessage]
    response.resume()
    return response.statusCode ?? 0
  }
})
