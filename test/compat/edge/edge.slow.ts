import { request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { statuses } from '@feed-receiver/core/internal'
import { type Reason } from '@feed-receiver/core'
import { signDelivery, type SignedDelivery } from '@feed-receiver/core/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeEvent } from '../../contract/harness.ts'
import { bundle } from './bundle.ts'
import { startEdgeRuntime } from './start-edge-runtime.ts'
import { startWorkerd, type Running } from './start-workerd.ts'
import { limits, secret } from './worker.ts'

const program = (name: string) => new URL(`${name}.ts`, import.meta.url)

const runtimes = {
  // Since a compatibility date in August 2026, they have the modules of Node by default.
  'workerd without Node': async () =>
    startWorkerd(await bundle(program('worker-of-web')), { date: '2024-01-01' }),
  'workerd with Node': async () =>
    startWorkerd(await bundle(program('worker-of-node'), { hasNode: true }), {
      date: '2026-11-01',
    }),
  'the edge runtime of Next': async () =>
    startEdgeRuntime(await bundle(program('edge-function'), { format: 'iife' })),
}

describe('a bundle for the web', () => {
  it('imports nothing from Node, and is small', async () => {
    const code = await bundle(program('worker-of-web'))
    expect(code).not.toMatch(/node:|\bBuffer\b|\brequire\(/)
    expect(await bundle(program('worker-of-node'), { hasNode: true })).toMatch(/node:crypto/)
    expect(gzipSync(code).length).toBeLessThan(60_000)
  })
})

describe.each(Object.entries(runtimes))('a module receiver on %s', (_, start) => {
  let running: Running
  beforeAll(async () => {
    running = await start()
  })
  afterAll(() => running.stop())

  const send = async ({ method, headers, body }: SignedDelivery) => {
    const response = await fetch(running.url, { method, headers, body })
    const answer: { status?: string; code?: Reason } = JSON.parse(await response.text())
    return { status: response.status, reason: answer.code ?? answer.status }
  }
  const deliver = (event: object | Uint8Array, more: object = {}) =>
    send(signDelivery(event, { secret, ...more }))
  const answerOf = (reason: Reason) => ({ status: statuses[reason], reason })

  it('stores an event once, and quarantines a conflict', async () => {
    const event = makeEvent()
    expect(await deliver(event)).toEqual(answerOf('stored'))
    expect(await deliver(event)).toEqual(answerOf('duplicate'))
    expect(await deliver({ ...event, type: 'other' })).toMatchObject({ status: 202 })
  })

  it.each<[Reason, () => SignedDelivery]>([
    ['signature_missing', () => signed({ headers: { 'feed-signature': undefined } })],
    ['signature_malformed', () => signed({ headers: { 'feed-signature': 't=1' } })],
    ['signature_mismatch', () => signed({ secret: 'feed_whsec_of_somebody_else_0123456789' })],
    ['signature_mismatch', () => ({ ...signed(), body: new Uint8Array(3) })],
    ['outside_window', () => signed({ at: Date.now() - 301_000 })],
    ['content_encoding', () => signed({ headers: { 'content-encoding': 'br' } })],
    ['not_json', () => signDelivery(Buffer.from('{"a":'), { secret })],
    ['not_json', () => signDelivery(Buffer.from([0x22, 0xff, 0x22]), { secret })],
    ['not_an_event', () => signDelivery({}, { secret })],
    ['unknown_schema_version', () => signed({}, { schema_version: '2.0' })],
    ['id_mismatch', () => signed({ headers: { 'feed-event-id': 'evt_other' } })],
    ['stored', () => signed({}, { data: { ...makeEvent().data, title: 'Zürich 🏔' } })],
    ['body_too_large', () => signed({}, { padding: 'x'.repeat(limits.maxBodyBytes) })],
  ])('answers %s', async (reason, make) => {
    expect(await send(make())).toEqual(answerOf(reason))
  })

  it('answers another method with 405', async () => {
    expect((await fetch(running.url)).status).toBe(405)
  })

  it('accepts a body in chunks', async () => {
    const { headers, body } = signDelivery(makeEvent(), { secret })
    const chunks = [body.subarray(0, 10), body.subarray(10, 300), body.subarray(300)]
    async function* slowly() {
      for (const chunk of chunks) {
        yield chunk
        await delay(20)
      }
    }
    const stream = { method: 'POST', headers, body: ReadableStream.from(slowly()), duplex: 'half' }
    expect((await fetch(running.url, stream as RequestInit)).status).toBe(202)
  })

  it('stores each of 150 concurrent events once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 150 }, async () => {
        // The sender retries after 429.
        const delivery = signDelivery(makeEvent(), { secret })
        for (;;) {
          const { status } = await send(delivery)
          if (status !== 429) return status
          await delay(20)
        }
      }),
    )
    expect(answers).toEqual(Array.from({ length: 150 }, () => 202))
  })

  it('meets the deadline of each delivery while the inbox hangs, and continues', async () => {
    for (let round = 0; round < 2; round += 1) {
      const startedAt = performance.now()
      const hanging = Array.from({ length: limits.maxInFlight }, () => deliver(hangs()))
      for (const answer of await Promise.all(hanging)) {
        expect(answer).toEqual(answerOf('store_timeout'))
      }
      expect(performance.now() - startedAt).toBeGreaterThan(limits.deadlineMs - 50)
    }
    expect(await deliver(makeEvent())).toEqual(answerOf('stored'))
  })

  it('frees the slots of clients that disconnected while the inbox hung', async () => {
    const gone = Array.from({ length: limits.maxInFlight }, () => abandon(hangs()))
    await Promise.all(gone)
    // If the runtime dropped a request, its slot is free a second after the deadline.
    await expect
      .poll(() => deliver(makeEvent()), { timeout: limits.deadlineMs + 5_000, interval: 200 })
      .toEqual(answerOf('stored'))
  })

  function signed(options: object = {}, event: object = {}): SignedDelivery {
    return signDelivery(makeEvent(event), { secret, ...options })
  }

  function hangs() {
    return makeEvent({ data: { ...makeEvent().data, title: 'hangs' } })
  }

  /** Sends a delivery, and closes the connection before the response. */
  async function abandon(event: object): Promise<void> {
    const { headers, body } = signDelivery(event, { secret })
    const sending = request(running.url, { method: 'POST', headers, agent: false })
    sending.on('error', () => undefined)
    sending.end(body)
    await delay(300)
    sending.socket?.resetAndDestroy()
  }
})
