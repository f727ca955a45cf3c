import { Stripe } from 'stripe'
import { describe, expect, it } from 'vitest'
import { headerVectors } from '../../../../test/contract/vectors/read-vectors.ts'
import * as node from './hmac.node.ts'
import * as web from './hmac.web.ts'
import { parseSignature, type Signature } from './signature.ts'
import type { Platform } from '../platform.ts'

const secret = 'feed_whsec_unit_tests_0123456789abcdef'
const body = Buffer.from('{"title":"Zürich \\u0041"}\r\n')
const timestampSeconds = 1_793_000_000
const vectors = headerVectors({ secret, timestampSeconds, body })

describe('signatureHeader', () => {
  it('creates a header that the stripe library verifies [R162, R198, R202]', () => {
    const header = node.signatureHeader({ secret, timestampSeconds, body })
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

  it('rejects a time that is not in whole seconds', () => {
    const sign = () => node.signatureHeader({ secret, timestampSeconds: 1.5, body })
    expect(sign).toThrow('whole number of seconds')
  })
})

describe('parseSignature', () => {
  it.each(vectors.malformed)('rejects: $says', ({ header }) => {
    expect(parseSignature(header)).toBeNull()
  })

  it.each(vectors.accepted)('parses: $says', ({ header }) => {
    expect(parseSignature(header)).toMatchObject({ timestampSeconds })
  })

  it('tries 31 signatures, however many there are', () => {
    const header = `t=1${`,v1=${'ab'.repeat(32)}`.repeat(200)}`
    expect(parseSignature(header)?.signatures).toHaveLength(31)
  })

  it.each([
    ['members', `t=1${',v1='.repeat(25_000)}`],
    ['spaces', `t=1${' '.repeat(100_000)}x`],
    ['copies', 't=1,'.repeat(25_000)],
  ])(
    'parses a hostile header of 100,000 characters quickly: %s',
    (_, hostile) => {
      expect(parseSignature(hostile)).toBeNull()
    },
    1_000,
  )
})

// Each platform has its own secret type.
describe.each([
  { runtime: 'Node', findSigner: finderOf(node), fingerprintOf: node.fingerprintOf },
  { runtime: 'the web', findSigner: finderOf(web), fingerprintOf: web.fingerprintOf },
])('findSigner on $runtime', ({ findSigner, fingerprintOf }) => {
  const another = 'feed_whsec_another_secret_of_this_test'

  it('finds the signing secret among several [R201]', async () => {
    const signature = parsed(body)
    const found = await findSigner(signature, body, another, secret)
    expect(found).toBe(await fingerprintOf(secret))
    expect(found).toMatch(/^[0-9a-f]{12}$/)
    expect(await findSigner(signature, body, another)).toBeUndefined()
    expect(await findSigner(signature, body.subarray(1), secret)).toBeUndefined()
    expect(await findSigner({ ...signature, timestampSeconds: 1 }, body, secret)).toBeUndefined()
  })

  it('finds the signing secret by the last of many signatures', async () => {
    const { signatures } = parsed(body)
    const others = Array.from({ length: 30 }, () => 'ab'.repeat(32))
    const many = { timestampSeconds, signatures: [...others, ...signatures] }
    expect(await findSigner(many, body, another, secret)).toBe(await fingerprintOf(secret))
    const forged = { timestampSeconds, signatures: others }
    expect(await findSigner(forged, body, another, secret)).toBeUndefined()
  })

  it('verifies bytes, so a change within invalid UTF-8 is detected [R199]', async () => {
    const bytes = Buffer.from([0x22, 0xff, 0x22])
    const changed = Buffer.from([0x22, 0xfe, 0x22])
    const signature = parsed(bytes)
    expect(await findSigner(signature, bytes, secret)).toBe(await fingerprintOf(secret))
    expect(await findSigner(signature, changed, secret)).toBeUndefined()
  })

  it('gives a secret the same fingerprint on every platform', async () => {
    expect(await fingerprintOf(secret)).toBe(node.fingerprintOf(secret))
  })
})

function finderOf<Secret>({
  readSecrets,
  findSigner,
}: Pick<Platform<Secret>, 'readSecrets' | 'findSigner'>) {
  return async (signature: Signature, bytes: Uint8Array, ...secrets: string[]) =>
    await findSigner(signature, bytes, readSecrets(secrets))
}

function parsed(bytes: Uint8Array): Signature {
  const header = node.signatureHeader({ secret, timestampSeconds, body: bytes })
  const signature = parseSignature(header)
  if (!signature) throw new Error('The header is well-formed.')
  return signature
}
