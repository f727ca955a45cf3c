import { signDelivery } from '@feed-receiver/core/testing'
import { describe, expect, it } from 'vitest'
import { bodyVectors } from '../vectors/read-vectors.ts'
import { makeEvent, path, secret, setup, type Serve } from './harness.ts'
import { chunked, requestBytes } from './wire.ts'

const limit = 1_048_576

export function bodiesCases(serve: Serve): void {
  describe('bodies', () => {
    it.each(bodyVectors())('$outcome: $says', async ({ body, outcome }) => {
      const { deliver, inbox } = await setup(serve)
      const answer = await deliver(body)
      expect(answer.status).toBe(202)
      if (outcome === 'stored') {
        const [stored] = inbox.entries.values()
        expect(Buffer.from(stored?.body ?? []).equals(body)).toBe(true)
        return
      }
      expect(answer.body).toContain(`"code":"${outcome}"`)
      expect(inbox.entries.size).toBe(0)
      expect(inbox.quarantined).toMatchObject([{ reason: outcome }])
      expect(Buffer.from(inbox.quarantined[0]?.delivery.body ?? []).equals(body)).toBe(true)
    })

    it.each([
      'application/json',
      'application/json; charset=utf-8',
      'application/json; charset=utf-16',
      'application/json; charset=latin1',
      'application/vnd.feed+json',
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'nonsense',
      undefined,
    ])('202 whatever the content type: %s', async (type) => {
      const { deliver, inbox } = await setup(serve)
      const answer = await deliver(makeEvent(), { headers: { 'content-type': type } })
      expect(answer.status).toBe(202)
      expect(inbox.entries.size).toBe(1)
    })

    it.each([1, 7, 100_000])('202 for a body in chunks of %i bytes', async (size) => {
      const { wire, inbox } = await setup(serve)
      const { headers, body } = signDelivery(makeEvent(), { secret })
      const connection = await wire()
      const chunkedHeaders = { ...headers, 'transfer-encoding': 'chunked' }
      connection.send(requestBytes({ path, headers: chunkedHeaders, body: chunked(body, size) }))
      expect((await connection.answer()).status).toBe(202)
      expect(inbox.entries.size).toBe(1)
    })

    it('202 for a body that comes after 100 Continue', async () => {
      const { wire } = await setup(serve)
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

    it('401 for no body at all, since no signature fits', async () => {
      const { post } = await setup(serve)
      const { headers } = signDelivery(makeEvent(), { secret })
      expect((await post({ headers, body: Buffer.alloc(0) })).status).toBe(401)
    })

    it('202 for a body that just fits', async () => {
      const { deliver, inbox } = await setup(serve)
      expect((await deliver(padTo(limit))).status).toBe(202)
      expect(inbox.entries.size).toBe(1)
    })

    it('413 for one byte more, by its Content-Length, and the connection ends', async () => {
      const { wire, deliver, inbox } = await setup(serve)
      const { headers, body } = signDelivery(padTo(limit + 1), { secret })
      const connection = await wire()
      connection.send(requestBytes({ path, headers, body }))
      const answer = await connection.answer()
      expect(answer.status).toBe(413)
      expect(answer.headers.connection).toBe('close')
      expect(answer.body).toContain('"code":"body_too_large"')
      await connection.closed
      expect(inbox.entries.size).toBe(0)
      expect((await deliver(makeEvent())).status).toBe(202)
    })

    it('413 for one byte more, in chunks, and the connection ends', async () => {
      const { wire, deliver, inbox } = await setup(serve)
      const { headers, body } = signDelivery(padTo(limit + 1), { secret })
      const connection = await wire()
      const chunkedHeaders = { ...headers, 'transfer-encoding': 'chunked' }
      connection.send(requestBytes({ path, headers: chunkedHeaders, body: chunked(body, 65_536) }))
      const answer = await connection.answer()
      expect(answer.status).toBe(413)
      await connection.closed
      expect(inbox.entries.size).toBe(0)
      expect((await deliver(makeEvent())).status).toBe(202)
    })

    it('413 before the body is sent, where its length alone is too much', async () => {
      const { wire } = await setup(serve)
      const { headers } = signDelivery(makeEvent(), { secret })
      const connection = await wire()
      connection.send(requestBytes({ path, headers: { ...headers, 'content-length': '50000000' } }))
      expect((await connection.answer()).status).toBe(413)
      await connection.closed
    })
  })
}

function padTo(length: number): Buffer {
  const event = makeEvent({ padding: '' })
  const rest = length - Buffer.byteLength(JSON.stringify(event))
  return Buffer.from(JSON.stringify({ ...event, padding: 'x'.repeat(rest) }))
}
