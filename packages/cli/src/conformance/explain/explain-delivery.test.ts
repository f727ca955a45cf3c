import { createHash, createHmac } from 'node:crypto'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { fingerprintOf } from '@feed-receiver/core'
import { signatureHeader } from '@feed-receiver/core/internal'
import { fixture } from '@feed-receiver/sender'
import { describe, expect, it } from 'vitest'
import { bodyHypotheses } from './body-hypotheses.ts'
import { explainDelivery, type Explanation } from './explain-delivery.ts'
import { secretHypotheses } from './secret-hypotheses.ts'
import { signingHypotheses } from './signing-hypotheses.ts'

const rest = 'c0ffee00c0ffee00c0ffee00c0ffee00'
const secret = `feed_whsec_${rest}`
const seconds = 1_790_000_000
const event = fixture('outage_started', {
  data: { title: 'Störung in Zürich: a/b <c> & \u2028 “quoted” 日本', summary: 'One\nTwo' },
})
const text = JSON.stringify(event)

interface Case {
  /** The key of the side that signs. */
  key?: string | Uint8Array
  /** What that side signed, and what was captured. */
  signed?: string | Uint8Array
  captured?: string | Uint8Array
  /** The secret of the side that checks. */
  ours?: string
  header?: string
  headers?: Record<string, string>
  receivedAt?: string | null
  isRewritten?: boolean
}

function explain({
  key = secret,
  signed = text,
  captured = signed,
  ours = secret,
  header = `t=${seconds},v1=${hmac(key, `${seconds}.`, signed)}`,
  headers = {},
  receivedAt = new Date(seconds * 1000).toISOString(),
  isRewritten = false,
}: Case = {}): Explanation {
  const delivery = {
    body: Buffer.from(captured),
    headers: { 'feed-signature': header, 'feed-event-id': event.id, ...headers },
    receivedAt,
    isRewritten,
  }
  const explanation = explainDelivery(delivery, { secrets: [{ name: 'SECRET', value: ours }] })
  // Whatever is found, nothing in it may help to sign.
  const printed = JSON.stringify(explanation)
  expect(printed).not.toContain(rest)
  expect(printed).not.toMatch(/[0-9a-f]{40}/)
  return explanation
}

function hmac(key: string | Uint8Array, ...parts: (string | Uint8Array)[]): string {
  return digest('sha256', key, ...parts)
}

function digest(algorithm: string, key: string | Uint8Array, ...parts: (string | Uint8Array)[]) {
  const signing = createHmac(algorithm, key)
  for (const part of parts) signing.update(part)
  return signing.digest('hex')
}

function codesOf({ causes }: Explanation): string[] {
  return causes.map(({ code }) => code)
}

const pretty = JSON.stringify(event, null, 2)
const ascii = text.replaceAll(/[^\0-\u007F]/g, (unit) => {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
})
const spaced = '{"id": "evt_1", "list": [1, "x, y: z", null], "deep": {"a": true}}'
const accents = text.normalize('NFD')

const bodyCases: [string, Case][] = [
  ['body_trailing_new_line', { signed: text, captured: `${text}\n` }],
  ['body_trailing_new_line', { signed: `${text}\n`, captured: text }],
  ['body_trailing_new_line', { signed: `${text}\r\n`, captured: text }],
  ['body_byte_order_mark', { signed: `\uFEFF${text}`, captured: text }],
  ['body_byte_order_mark', { signed: text, captured: `\uFEFF${text}` }],
  ['body_line_ends', { signed: pretty, captured: pretty.replaceAll('\n', '\r\n') }],
  ['body_line_ends', { signed: pretty.replaceAll('\n', '\r\n'), captured: pretty }],
  ['body_white_space', { signed: text, captured: `  ${text} ` }],
  ['body_escapes', { signed: text, captured: ascii }],
  ['body_escapes', { signed: ascii, captured: text }],
  ['body_escapes', { signed: text.replaceAll('/', '\\/'), captured: text }],
  ['body_escapes', { signed: text, captured: text.replaceAll('/', '\\/') }],
  ['body_escapes', { signed: text.replaceAll('\u2028', '\\u2028'), captured: text }],
  ['body_escapes', { signed: text, captured: text.replaceAll('\u2028', '\\u2028') }],
  ['body_json_rewritten', { signed: pretty, captured: text }],
  ['body_json_rewritten', { signed: text, captured: pretty }],
  ['body_json_rewritten', { signed: JSON.stringify(event, null, '\t'), captured: text }],
  ['body_json_rewritten', { signed: text, captured: JSON.stringify(event, null, 4) }],
  ['body_json_rewritten', { signed: spaced, captured: JSON.stringify(JSON.parse(spaced)) }],
  ['body_json_rewritten', { signed: `${pretty}\n`, captured: text }],
  [
    'body_json_rewritten',
    { signed: '{"a":1,"b":{"c":2,"d":3}}', captured: '{"b":{"d":3,"c":2},"a":1}' },
  ],
  ['body_json_string', { signed: text, captured: JSON.stringify(text) }],
  ['body_json_string', { signed: JSON.stringify(text), captured: text }],
  ['body_buffer_json', { signed: text, captured: JSON.stringify(Buffer.from(text)) }],
  ['body_base64', { signed: text, captured: Buffer.from(text).toString('base64') }],
  ['body_url_encoded', { signed: text, captured: encodeURIComponent(text) }],
  ['body_url_encoded', { signed: text, captured: `${encodeURIComponent(text)}=` }],
  ['body_url_encoded', { signed: text, captured: new URLSearchParams({ x: text }).toString() }],
  ['body_compressed', { signed: text, captured: gzipSync(text) }],
  ['body_compressed', { signed: text, captured: deflateSync(text) }],
  ['body_compressed', { signed: text, captured: brotliCompressSync(text) }],
  ['body_charset', { signed: text, captured: Buffer.from(text).toString('latin1') }],
  ['body_charset', { signed: 'Zürich', captured: Buffer.from('Zürich', 'latin1') }],
  ['body_charset', { signed: text, captured: Buffer.from(text, 'utf16le') }],
  ['body_normalization', { signed: accents, captured: text.normalize('NFC') }],
  ['body_normalization', { signed: text.normalize('NFC'), captured: accents }],
]

const secretCases: [string, Case][] = [
  ['secret_white_space', { ours: `${secret}\n` }],
  ['secret_white_space', { ours: ` ${secret} ` }],
  ['secret_white_space', { key: `${secret}\n` }],
  ['secret_white_space', { key: `\uFEFF${secret}` }],
  ['secret_quotes', { ours: `"${secret}"` }],
  ['secret_quotes', { key: `'${secret}'` }],
  ['secret_without_prefix', { key: rest }],
  ['secret_without_prefix', { ours: rest }],
  ['secret_base64', { key: Buffer.from(rest, 'base64') }],
  ['secret_base64', { key: Buffer.from(secret).toString('base64') }],
  ['secret_hex', { key: Buffer.from(rest, 'hex') }],
  ['secret_hex', { key: Buffer.from(secret).toString('hex') }],
  ['secret_line', { ours: `FEED_SIGNING_SECRET=${secret}` }],
  ['secret_line', { ours: `export FEED_SIGNING_SECRET="${secret}"` }],
  ['secret_escaped', { ours: `${secret}\\n` }],
  ['secret_escaped', { key: `${secret}+/`, ours: `${secret}%2B%2F` }],
  ['secret_case', { key: secret.toUpperCase() }],
  ['secret_unset', { key: '' }],
  ['secret_unset', { key: 'undefined' }],
]

const sha256 = (...parts: string[]) => createHash('sha256').update(parts.join('')).digest('hex')
const under = (signature: string) => ({ header: `t=${seconds},v1=${signature}` })

const signingCases: [string, Case][] = [
  ['timestamp_left_out', under(hmac(secret, text))],
  ['other_separator', under(hmac(secret, `${seconds}`, text))],
  ['other_separator', under(hmac(secret, `t=${seconds}.`, text))],
  ['other_separator', under(hmac(secret, `${event.id}.${seconds}.`, text))],
  ['timestamp_unit', under(hmac(secret, `${seconds}123.`, text))],
  ['clock_read_twice', under(hmac(secret, `${seconds + 1}.`, text))],
  ['clock_read_twice', under(hmac(secret, `${seconds - 299}.`, text))],
  ['clock_read_twice', under(hmac(secret, `${seconds + 7200}.`, text))],
  ['body_digest_signed', under(hmac(secret, `${seconds}.`, sha256(text)))],
  ['other_function', under(digest('sha1', secret, `${seconds}.`, text))],
  ['other_function', under(digest('sha512', secret, `${seconds}.`, text))],
  ['other_function', under(sha256(secret, `${seconds}.`, text))],
]

describe('a correct delivery', () => {
  it('is valid as the service signs it', () => {
    const header = signatureHeader({ secret, timestampSeconds: seconds, body: Buffer.from(text) })
    expect(explain({ header })).toEqual({
      holds: true,
      causes: [],
      secret: { name: 'SECRET', fingerprint: fingerprintOf(secret) },
      signedAt: '2026-09-21T14:13:20.000Z',
      notes: [],
    })
  })

  it('is valid with the second of two secrets, which is named', () => {
    const delivery = {
      body: Buffer.from(text),
      headers: { 'feed-signature': `t=${seconds},v1=${hmac(secret, `${seconds}.`, text)}` },
      receivedAt: null,
      isRewritten: false,
    }
    const secrets = [
      { name: 'OLD', value: 'feed_whsec_old' },
      { name: 'NEW', value: secret },
    ]
    expect(explainDelivery(delivery, { secrets })).toMatchObject({ secret: { name: 'NEW' } })
  })

  it.each<[string, Case]>([
    ['415', { headers: { 'content-encoding': 'gzip' } }],
    ['413', { signed: `"${'x'.repeat(1_048_576)}"` }],
    ['not_an_event', { signed: '{"schema_version":"1.0"}' }],
    ['names another event', { headers: { 'feed-event-id': 'evt_other' } }],
  ])('has a note on what else a receiver would reject: %s', (note, made) => {
    const { holds, notes } = explain(made)
    expect(holds).toBe(true)
    expect(notes.join('\n')).toContain(note)
  })
})

describe('every mistake', () => {
  const cases = [...bodyCases, ...secretCases, ...signingCases]

  it.each(cases)('%s is detected, case %#', (code, made) => {
    const explanation = explain(made)
    expect(codesOf(explanation)).toEqual([code])
    expect(explanation.secret?.name).toBe('SECRET')
  })

  it('has a test case', () => {
    const hypotheses = [...bodyHypotheses, ...secretHypotheses, ...signingHypotheses]
    const known = hypotheses.map(({ code }) => code)
    const made = new Set(cases.map(([code]) => code))
    expect([...made].toSorted()).toEqual(known.toSorted())
  })
})

describe('two mistakes at once', () => {
  it.each<[string[], Case]>([
    [
      ['secret_white_space', 'body_trailing_new_line'],
      { ours: `${secret} `, captured: `${text}\n` },
    ],
    [
      ['secret_without_prefix', 'body_json_rewritten'],
      { key: rest, signed: pretty, captured: text },
    ],
    [
      ['secret_base64', 'other_separator'],
      under(hmac(Buffer.from(rest, 'base64'), `${event.id}.${seconds}.`, text)),
    ],
  ])('%s are detected', (codes, made) => {
    expect(codesOf(explain(made))).toEqual(codes)
  })
})

describe('the form of the header', () => {
  const good = hmac(secret, `${seconds}.`, text)
  const base64 = Buffer.from(good, 'hex').toString('base64')

  it.each([
    ['header_repeated', `t=${seconds},v1=${good}, t=${seconds + 1},v1=${good}`],
    ['header_with_name', `Feed-Signature: t=${seconds},v1=${good}`],
    ['header_quoted', `"t=${seconds},v1=${good}"`],
    ['header_url_encoded', `t%3D${seconds}%2Cv1%3D${good}`],
    ['header_spaces', `t=${seconds} v1=${good}`],
    ['header_upper_case', `t=${seconds},v1=${good.toUpperCase()}`],
    ['header_base64', `t=${seconds},v1=${base64}`],
    ['header_order', `v1=${good},t=${seconds}`],
    ['header_milliseconds', `t=${seconds}000,v1=${hmac(secret, `${seconds}000.`, text)}`],
    ['header_other_form', `t=${seconds};v1=${good}`],
  ])('%s is detected, and the secret is found', (code, header) => {
    const explanation = explain({ header })
    expect(codesOf(explanation)).toEqual([code])
    expect(explanation.secret?.name).toBe('SECRET')
  })

  it.each<[string, Case]>([
    ['header_unreadable', { header: 'sha256=abc' }],
    ['header_missing', { headers: { 'feed-signature': '' } }],
    ['header_renamed', { headers: { 'x-original-feed-signature': `t=1,v1=${good}` } }],
  ])('%s is detected', (code, made) => {
    const isThere = made.header !== undefined
    const delivery = {
      body: Buffer.from(text),
      headers: { ...(isThere && { 'feed-signature': made.header ?? '' }), ...made.headers },
      receivedAt: null,
      isRewritten: false,
    }
    if (!isThere) Reflect.deleteProperty(delivery.headers, 'feed-signature')
    const secrets = [{ name: 'SECRET', value: secret }]
    expect(codesOf(explainDelivery(delivery, { secrets }))).toEqual([code])
  })
})

describe('the time', () => {
  const at = (skew: number) => new Date((seconds + skew) * 1000).toISOString()

  it.each([
    [300, []],
    [-300, []],
    [301, ['outside_window']],
    [-301, ['outside_window']],
  ])('is checked for a delivery received %i s after signing', (skew, codes) => {
    expect(codesOf(explain({ receivedAt: at(skew) }))).toEqual(codes)
  })

  it('suggests a time zone if it is one hour off', () => {
    expect(explain({ receivedAt: at(7205) }).causes[0]?.says).toContain('time zone')
    expect(explain({ receivedAt: at(5000) }).causes[0]?.says).not.toContain('time zone')
  })

  it('is checked only against the future if the time of receipt is unknown', () => {
    const old = Math.floor(Date.now() / 1000) - 3600
    const later = old + 7200
    const signedAt = (t: number) => ({ header: `t=${t},v1=${hmac(secret, `${t}.`, text)}` })
    const past = explain({ ...signedAt(old), receivedAt: null })
    expect(past).toMatchObject({ holds: true, notes: [expect.stringContaining('--received-at')] })
    expect(codesOf(explain({ ...signedAt(later), receivedAt: null }))).toEqual(['outside_window'])
  })
})

it('has hints about a failure that nothing explains, and says what was tried', () => {
  const explanation = explain({ key: 'feed_whsec_another', captured: text.slice(0, 50) })
  expect(codesOf(explanation)).toEqual(['no_match'])
  expect(explanation.secret).toBeNull()
  expect(explanation.notes).toEqual([`Tried: SECRET (fingerprint ${fingerprintOf(secret)}).`])
})

it('tries every cause on a body with many newlines in the time of a test', () => {
  const captured = `${'\n'.repeat(900_000)}x`
  expect(codesOf(explain({ signed: text, captured }))).toEqual(['no_match'])
})

it('tries the other mistakes with a body nested too deeply to serialize', () => {
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
  expect(codesOf(explain({ key: 'feed_whsec_unknown', signed: deep }))).toEqual(['no_match'])
  const captured = Buffer.from(deep).toString('utf16le')
  expect(codesOf(explain({ signed: Buffer.from(captured), captured: deep }))).toEqual([
    'body_charset',
  ])
})
