import { createHmac } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { fingerprintOf } from '@feed-receiver/core'
import { signDelivery } from '@feed-receiver/core/testing'
import { describe, expect, it } from 'vitest'
import { headerVectors, type Vectors } from './vectors/read-vectors.ts'
import { makeEvent, otherSecret, secret, setup, type Mount } from './harness.ts'
import { nothing, type Open } from './session.ts'

const nowMs = Date.UTC(2026, 10, 2, 12, 0, 0, 750)
const nowSeconds = Math.floor(nowMs / 1_000)
const now = () => nowMs
const vectorBody = Buffer.from(JSON.stringify(makeEvent()))
const signed = { secret, timestampSeconds: nowSeconds, body: vectorBody }

export function signatureCases(mount: Mount): void {
  describe('signatures', () => {
    forgeryCases((limits) => setup(mount, limits), mount.vectors)

    it.each(headerVectors(signed, mount.vectors ?? 'everywhere').accepted)(
      'accepts the header: $says [R161]',
      async ({ header }) => {
        const { send, inbox } = await setup(mount, { now })
        const answer = await send({ headers: { 'feed-signature': header }, body: vectorBody })
        expect(answer.status).toBe(202)
        expect(inbox.entries.size).toBe(1)
      },
    )

    it('rejects the signature of another secret without revealing either [R172, R195]', async () => {
      const { deliver, inbox, observations } = await setup(mount)
      const answer = await deliver(makeEvent(), { secret: otherSecret })
      expect(answer.status).toBe(401)
      expect(answer.body).toContain('"code":"signature_mismatch"')
      expect(inbox.entries.size).toBe(0)
      const said = JSON.stringify([answer, observations])
      expect(said).not.toContain('feed_whsec_')
      expect(said).not.toMatch(/v1=|[0-9a-f]{64}/)
    })

    it.each([
      [-300, 202],
      [-301, 503],
      [-1_200, 503],
      [0, 202],
      [300, 202],
      [301, 503],
      [1_200, 503],
      [10_000, 503],
    ])(
      'answers a delivery signed %i s from now with %i [R69, R173, R237]',
      async (offset, status) => {
        const { deliver, inbox } = await setup(mount, { now })
        const answer = await deliver(makeEvent(), { at: nowMs + offset * 1_000 })
        expect(answer.status).toBe(status)
        expect(inbox.entries.size).toBe(status === 202 ? 1 : 0)
        if (status === 503) expect(answer.body).toContain('"code":"outside_window"')
      },
    )

    it('reports a forged delivery as forged, even if it is too old', async () => {
      const { deliver } = await setup(mount, { now })
      const answer = await deliver(makeEvent(), { secret: otherSecret, at: nowMs - 1_200_000 })
      expect(answer.status).toBe(401)
    })

    it('accepts either of two secrets, and reports the matching one [R203, R204]', async () => {
      const { deliver, observations } = await setup(mount, { secrets: [secret, otherSecret] })
      expect((await deliver(makeEvent(), { secret: otherSecret })).status).toBe(202)
      expect((await deliver(makeEvent(), { secret })).status).toBe(202)
      expect(observations.map(({ signedBy }) => signedBy)).toEqual([
        fingerprintOf(otherSecret),
        fingerprintOf(secret),
      ])
    })

    it('accepts a new secret of the provider without a restart [R203]', async () => {
      let provided = [secret]
      const { deliver } = await setup(mount, { secrets: async () => provided, now: makeClock() })
      expect((await deliver(makeEvent())).status).toBe(202)
      expect((await deliver(makeEvent(), { secret: otherSecret })).status).toBe(401)
      provided = [secret, otherSecret]
      expect((await deliver(makeEvent(), { secret: otherSecret })).status).toBe(202)
      expect((await deliver(makeEvent())).status).toBe(202)
    })

    it('answers 503 instead of 401 while the secret provider has returned none', async () => {
      let isDown = true
      const { deliver } = await setup(mount, {
        secrets: async () => {
          if (isDown) throw new Error('The vault is sealed.')
          return [secret]
        },
        now: makeClock(),
      })
      const answer = await deliver(makeEvent())
      expect(answer.status).toBe(503)
      expect(answer.body).toContain('"code":"secrets_unavailable"')
      expect((await deliver(makeEvent(), { secret: otherSecret })).status).toBe(503)
      isDown = false
      expect((await deliver(makeEvent())).status).toBe(202)
    })

    it('accepts a signature made with openssl [R162, R198]', async () => {
      const { send } = await setup(mount)
      const body = Buffer.from(JSON.stringify(makeEvent()))
      const t = Math.floor(Date.now() / 1_000)
      const input = Buffer.concat([Buffer.from(`${t}.`), body])
      const printed = execFileSync('openssl', ['dgst', '-sha256', '-hmac', secret, '-r'], { input })
      const header = `t=${t},v1=${printed.toString().slice(0, 64)}`
      expect((await send({ headers: { 'feed-signature': header }, body })).status).toBe(202)
    })
  })
}

/** Forged and damaged deliveries, on every platform. */
export function forgeryCases(open: Open, vectors: Vectors = 'everywhere'): void {
  it.each(headerVectors(signed, vectors).malformed)(
    'rejects the header: $says [R161, R200]',
    async ({ header }) => {
      const { send, holds } = await open()
      const answer = await send({ headers: { 'feed-signature': header }, body: vectorBody })
      expect(answer.status).toBe(401)
      expect(answer.body).toContain('"code":"signature_malformed"')
      expect(await holds()).toEqual(nothing)
    },
  )

  it('rejects a delivery without the header', async () => {
    const { deliver, holds } = await open()
    const answer = await deliver(makeEvent(), { headers: { 'feed-signature': undefined } })
    expect(answer.status).toBe(401)
    expect(answer.body).toContain('"code":"signature_missing"')
    expect(await holds()).toEqual(nothing)
  })

  it('rejects a header of eight kilobytes', async () => {
    const { deliver } = await open()
    const header = `t=${nowSeconds},v1=${'ab'.repeat(4_000)}`
    const answer = await deliver(makeEvent(), { headers: { 'feed-signature': header } })
    expect(answer.status).toBe(401)
  })

  it.each([
    ['one byte more', (body: Buffer) => Buffer.concat([body, Buffer.from('\n')])],
    ['one byte less', (body: Buffer) => body.subarray(0, -1)],
    ['one bit changed', (body: Buffer) => (body.writeUInt8(body.readUInt8(9) ^ 1, 9), body)],
    ['other line endings', (body: Buffer) => Buffer.from(body.toString().replaceAll('\n', '\r\n'))],
    [
      'the JSON serialized again',
      (body: Buffer) => Buffer.from(JSON.stringify(JSON.parse(body.toString()))),
    ],
    [
      'a byte order mark before it',
      (body: Buffer) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]),
    ],
    ['an empty body instead', () => Buffer.alloc(0)],
  ])('rejects a body with %s [R162, R172, R199]', async (_, change) => {
    const { send, holds } = await open()
    const event = JSON.stringify(makeEvent(), null, 2)
    const { headers } = signDelivery(Buffer.from(event), { secret })
    const answer = await send({ headers, body: change(Buffer.from(event)) })
    expect(answer.status).toBe(401)
    expect(await holds()).toEqual(nothing)
  })

  it('rejects milliseconds instead of seconds', async () => {
    const { send } = await open()
    const body = Buffer.from(JSON.stringify(makeEvent()))
    const t = Date.now()
    const v1 = createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex')
    const answer = await send({ headers: { 'feed-signature': `t=${t},v1=${v1}` }, body })
    expect(answer.status).toBe(401)
  })
}

// Two seconds later at each call, so that the provider may be called again between deliveries.
function makeClock(): () => number {
  let time = Date.now() - 60_000
  return () => (time += 2_000)
}
