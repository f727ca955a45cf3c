import { expect, it } from 'vitest'
import { keepHeaders, readHeaders } from './request.ts'

it('keeps the delivery headers, within limits and without the signature', () => {
  const header = readHeaders({
    'Feed-Signature': 't=1,v1=0',
    Authorization: 'Bearer secret',
    'Content-Type': 'application/json',
    'User-Agent': 'x'.repeat(5_000),
    'Feed-Event-Id': 'evt_1',
    'Idempotency-Key': ['a', 'b'],
  })
  expect(keepHeaders(header)).toEqual({
    'content-type': 'application/json',
    'user-agent': 'x'.repeat(1_000),
    'feed-event-id': 'evt_1',
    'idempotency-key': 'a, b',
  })
})
