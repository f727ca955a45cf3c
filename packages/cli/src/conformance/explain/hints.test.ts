import { expect, it } from 'vitest'
import { hintsAt, type CapturedDelivery } from './explain-delivery.ts'
import { readSignature } from './read-signature.ts'

const text = '{"title":"Störung"}'
const secret = 'feed_whsec_c0ffee00c0ffee00c0ffee00c0ffee00'
const header = `t=1790000000,v1=${'0'.repeat(64)}`

interface Case extends Partial<Omit<CapturedDelivery, 'body'>> {
  body?: string
  header?: string
  secret?: string
}

it.each<[string, Case]>([
  ['parser before the receiver', { body: '' }],
  ['[object Object]', { body: '[object Object]' }],
  ['found no content', { body: '{}' }],
  ['U+FFFD', { body: text.replace('ö', '\uFFFD') }],
  ['Content-Length was 900, but', { headers: { 'content-length': '900' } }],
  ['exact bytes are lost', { isRewritten: true }],
  ['not have 64 digits', { header: 't=1790000000,v1=0123456789abcdef' }],
  ['SECRET does not begin with feed_whsec_', { secret: 'whsec_of_another_service' }],
])('an unexplained failure has a hint: %s', (hint, given) => {
  const hints = hintsOf(given)
  expect(hints).toEqual([
    expect.stringContaining(hint),
    expect.stringMatching(/^Tried: SECRET \(fingerprint \w+\)\.$/),
  ])
  expect(hints.join()).not.toMatch(/c0ffee|another_service|[0-9a-f]{40}/)
})

it('an unexplained failure has no hint if nothing is odd', () => {
  expect(hintsOf({})).toEqual([expect.stringMatching(/^Tried: /)])
})

function hintsOf({ body = text, header: given = header, secret: value = secret, ...rest }: Case) {
  const delivery = { headers: {}, receivedAt: null, isRewritten: false, ...rest }
  const signature = readSignature(given)
  if (!signature) throw new Error('The header is unreadable.')
  const secrets = [{ name: 'SECRET', value }]
  return hintsAt({ ...delivery, body: Buffer.from(body) }, signature, secrets)
}
