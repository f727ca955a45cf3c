import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import {
  contradictsId,
  isIdentity,
  pickHeaders,
  mayHoldMore,
  readHeaders,
  type ReceiverRequest,
} from './request.ts'

it('keeps the delivery headers, within limits and without the signature', () => {
  const header = readHeaders({
    'Feed-Signature': 't=1,v1=0',
    Authorization: 'Bearer secret',
    'Content-Type': 'application/json',
    'User-Agent': 'x'.repeat(5_000),
    'Feed-Event-Id': 'evt_1',
    'Idempotency-Key': ['a', 'b'],
  })
  expect(pickHeaders(header)).toEqual({
    'content-type': 'application/json',
    'user-agent': 'x'.repeat(1_000),
    'feed-event-id': 'evt_1',
    'idempotency-key': 'a, b',
  })
})

it('joins headers whose names differ only in case, and ignores those without a value', () => {
  const header = readHeaders({
    'feed-signature': undefined,
    'Feed-Signature': 'first',
    'FEED-SIGNATURE': ['second', 'third'],
  })
  expect(header('feed-signature')).toBe('first, second, third')
})

it.each([
  ['evt_1', false],
  ['evt_1, evt_1', false],
  ['evt_1,evt_1', false],
  ['evt_1, evt_2', true],
  ['evt_2', true],
  ['', true],
])('compares the header %j with the id evt_1', (header, expected) => {
  expect(contradictsId(header, 'evt_1')).toBe(expected)
})

it('compares an id with commas and other characters as a whole', () => {
  expect(contradictsId('a, a', 'a, a')).toBe(false)
  expect(contradictsId(Buffer.from('é, é').toString('latin1'), 'é')).toBe(false)
  expect(contradictsId(Buffer.from('é, é').toString('latin1'), 'é, é')).toBe(false)
})

it.each([
  ['', true],
  ['identity', true],
  ['Identity, identity', true],
  ['gzip', false],
  ['identity, gzip', false],
])('knows whether the encoding %j leaves the body as it is', (encoding, expected) => {
  expect(isIdentity(encoding)).toBe(expected)
})

it.each<[boolean, string, unknown]>([
  [true, 'a POST with a stream', { method: 'POST', body: Readable.from([]) }],
  [true, 'a DELETE with a stream', { method: 'DELETE', body: Readable.from([]) }],
  [
    false,
    'a GET, whose connection its clients want to keep',
    { method: 'GET', body: Readable.from([]) },
  ],
  [false, 'a HEAD', { method: 'HEAD', body: Readable.from([]) }],
  [false, 'bytes', { method: 'POST', body: new Uint8Array(1) }],
  [false, 'null', { method: 'POST', body: null }],
  [false, 'a body that a parser has read', { method: 'POST', body: 'already_read' }],
])('mayHoldMore is %s for %s', (expected, _, request) => {
  expect(mayHoldMore(request as ReceiverRequest)).toBe(expected)
})
