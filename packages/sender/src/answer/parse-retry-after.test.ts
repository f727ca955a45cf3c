import { expect, test } from 'vitest'
import { parseRetryAfter } from './retry-delay.ts'

const now = Date.UTC(2026, 10, 21, 12, 0, 0)

test.each([
  ['1', 1000],
  ['5', 5000],
  ['007', 7000],
  [' 12 ', 12_000],
  ['2678400', 2_678_400_000],
  ['Sat, 21 Nov 2026 12:00:05 GMT', 5000],
  ['Sun, 22 Nov 2026 12:00:00 GMT', 86_400_000],
  ['Tue, 29 Feb 2028 00:00:00 GMT', Date.UTC(2028, 1, 29) - now],
  ['Thu, 31 Dec 2026 23:59:60 GMT', Date.UTC(2027, 0, 1) - now],
])('%j is a wait of %d ms', (value, waitMs) => {
  expect(parseRetryAfter(value, now)).toBe(waitMs)
})

test.each([
  [undefined],
  [''],
  ['0'],
  ['000'],
  ['-5'],
  ['+5'],
  ['5.5'],
  ['1e3'],
  ['0x10'],
  ['5s'],
  ['5, 10'],
  ['٥'],
  ['soon'],
  ['apples 5'],
  ['Infinity'],
  ['2026-11-21T12:05:00Z'],
  ['Sat, 21 Nov 2026 12:00:00 GMT'],
  ['Sat, 21 Nov 2026 11:59:59 GMT'],
  // The obsolete forms of HTTP dates.
  ['Saturday, 21-Nov-26 12:01:00 GMT'],
  ['Sunday, 06-Nov-94 08:49:37 GMT'],
  ['Sat Nov 21 12:00:30 2026'],
  ['Tue Dec  1 12:00:00 2026'],
  ['Sun, 31 Feb 2027 12:00:00 GMT'],
  ['Mon, 01 Foo 2027 12:00:00 GMT'],
  ['Sat, 21 Nov 2026 24:00:00 GMT'],
  ['Sat, 21 Nov 2026 12:60:00 GMT'],
  ['Sat, 21 Nov 2026 13:00:00 UTC'],
  ['Sat, 21 Nov 2026 13:00:00 +0000'],
  ['Sat, 21 nov 2026 13:00:00 GMT'],
])('%j is ignored', (value) => {
  expect(parseRetryAfter(value, now)).toBeNull()
})

test('accepts seconds of any length', () => {
  expect(parseRetryAfter('9'.repeat(400), now)).toBe(Infinity)
})
