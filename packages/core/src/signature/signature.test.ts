import { readFileSync } from 'node:fs'
import { Stripe } from 'stripe'
import { describe, expect, it } from 'vitest'
import { headerVectors } from '../../../../test/vectors/read-vectors.ts'
import { fingerprintOf, readSecrets } from './secret.ts'
import { signatureHeader } from './signature.ts'
import { findSigner, parseSignature } from './signature.ts'

const secret = 'feed_whsec_unit_tests_0123456789abcdef'
const body = Buffer.from('{"title":"Zürich \\u0041"}\r\n')
const timestampSeconds = 1_793_000_000
const vectors = headerVectors({ secret, timestampSeconds, body })

describe('signatureHeader', () => {
  it('makes what the stripe library verifies as it is', () => {
    const header = signatureHeader({ secret, timestampSeconds, body })
    const stripe = new Stripe('sk_test_unused')
    const event = stripe.webhooks.constructEvent(
      body,
      header,
      secret,
      300,
      undefined,
      timestampSeconds * 1_000,
    )
    expect(event).toEqual({ title: 'Zürich A' })
  })

  it('refuses a time that is not in whole seconds', () => {
    expect(() => signatureHeader({ secret, timestampSeconds: 1.5, body })).toThrow(
      'whole number of seconds',
    )
  })
})

describe('parseSignature', () => {
  it.each(vectors.malformed)('refuses: $says', ({ header }) => {
    expect(parseSignature(header)).toBeNull()
  })

  it.each(vectors.accepted)('reads: $says', ({ header }) => {
    expect(parseSignature(header)).toMatchObject({ timestampSeconds })
  })

  it('takes a hostile header of a hundred thousand characters without trouble', () => {
    const hostile = `t=1${',v1='.repeat(25_000)}`
    expect(parseSignature(hostile)).toBeNull()
  })
})

describe('findSigner', () => {
  const [mine, other] = readSecrets([secret, 'feed_whsec_another_secret_of_this_test'])
  if (!mine || !other) throw new Error('Two secrets make two.')

  it('finds the secret that signed, among several', () => {
    const signature = parseSignature(signatureHeader({ secret, timestampSeconds, body }))
    if (!signature) throw new Error('The header is well-formed.')
    expect(findSigner(signature, body, [other, mine])?.fingerprint).toBe(fingerprintOf(secret))
    expect(findSigner(signature, body, [other])).toBeUndefined()
    expect(findSigner(signature, body.subarray(1), [mine])).toBeUndefined()
    expect(findSigner({ ...signature, timestampSeconds: 1 }, body, [mine])).toBeUndefined()
  })

  it('hashes bytes and not text: a change within invalid UTF-8 is a change', () => {
    const bytes = Buffer.from([0x22, 0xff, 0x22])
    const changed = Buffer.from([0x22, 0xfe, 0x22])
    const signature = parseSignature(signatureHeader({ secret, timestampSeconds, body: bytes }))
    if (!signature) throw new Error('The header is well-formed.')
    expect(findSigner(signature, bytes, [mine])).toBe(mine)
    expect(findSigner(signature, changed, [mine])).toBeUndefined()
  })

  it('compares with timingSafeEqual and nothing else', () => {
    const source = readFileSync(new URL('signature.ts', import.meta.url), 'utf8')
    expect(source).toContain('timingSafeEqual(given, expected)')
    expect(source).not.toMatch(/expected\s*[!=]=|[!=]==?\s*expected|\.equals\(|\.includes\(/)
  })
})
