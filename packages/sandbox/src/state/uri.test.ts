import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, it } from 'vitest'
import { feedEventSchema } from '../../../client/test/feed-event-schema.ts'
import { absoluteUri } from './fields.ts'

const ajv = new Ajv2020()
addFormats.default(ajv)
const isUri = ajv.compile({ type: 'string', format: 'uri' })

it.each([
  'https://example.com/a?b=c&d[e'.replace('[', '%5B'),
  'HTTPS://EXAMPLE.COM:8443',
  'https://user:p%40ss@example.com/',
  'https://example.com/%C3%BC#part/two?three',
  'http://[2001:db8::1]:80/a',
  'mailto:news@example.com',
  'urn:uuid:6e8bc430-9c3a-11d9-9669-0800200c9a66',
  "x-a+b.c://h/~!$&'()*+,;=:@",
])('accepts a URI: %s', (text) => {
  expect(absoluteUri.safeParse(text).error).toBeUndefined()
  expect(isUri(text)).toBe(true)
  expect(feedEventSchema.shape.data.shape.source_url.safeParse(text).success).toBe(true)
})

it.each([
  '',
  'example.com/a',
  '/a',
  'https:',
  'https://',
  'https:///',
  'https://example.com/ü',
  'https://exämple.com/',
  'https://example.com/😀',
  'https://example.com/\ud800',
  'https://example.com/a b',
  'https://example.com/\u0000',
  'https://example.com/{id}',
  'https://example.com/"<b>"',
  'https://example.com/a|b^c`d\\e',
  'https://example.com/%',
  'https://example.com/%zz',
  'https://example.com/#a#b',
  'https://example.com/[a]',
  'https://example.com/?a[]=b',
  'https://[::1',
  'https://[zz]/',
  'https://[::1]x/',
  'https://example.com:99999/',
  'https://example.com:port/',
  'https://1.2.3.999/',
])('rejects an invalid URI: %j', (text) => {
  expect(absoluteUri.safeParse(text).success).toBe(false)
})

it('accepts no character that the format uri rejects', () => {
  const made = Array.from({ length: 0x180 }, (_, code) => String.fromCharCode(code)).flatMap(
    (character) => [
      `https://a${character}b.example/`,
      `https://example.com/${character}x`,
      `https://example.com/?${character}`,
      `https://example.com/#${character}`,
      `urn:${character}`,
    ],
  )
  const taken = made.filter((text) => absoluteUri.safeParse(text).success)
  expect(taken.length).toBeGreaterThan(300)
  expect(taken.filter((text) => !isUri(text))).toEqual([])
})
