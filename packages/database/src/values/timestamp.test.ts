import { expect, test } from 'vitest'
import { formatTimestamp, parseTimestamp } from './value-parsers.ts'

test.each([
  ['2026-11-21 00:41:07+00', '2026-11-21T00:41:07.000Z'],
  ['2026-11-21 00:41:07.1+00', '2026-11-21T00:41:07.100Z'],
  ['2026-11-21 00:41:07.123456+00', '2026-11-21T00:41:07.123Z'],
  ['2026-11-21 06:11:07.5+05:30', '2026-11-21T00:41:07.500Z'],
  ['2026-11-20 21:11:07-03:30', '2026-11-21T00:41:07.000Z'],
  ['1890-01-01 00:19:32+00:19:32', '1890-01-01T00:00:00.000Z'],
  ['0099-03-01 00:00:00+00', '0099-03-01T00:00:00.000Z'],
  ['10000-01-01 00:00:00+00', '+010000-01-01T00:00:00.000Z'],
  ['0001-12-31 00:00:00+00 BC', '0000-12-31T00:00:00.000Z'],
])('reads %s as the instant %s', (text, iso) => {
  expect(parseTimestamp(text).toISOString()).toBe(iso)
})

test.each(['infinity', '-infinity'])('reads %j as an Invalid Date', (text) => {
  expect(parseTimestamp(text).getTime()).toBeNaN()
})

test.each(['', '2026-11-21', '11/21/2026 00:41:07.5 UTC', 'Sat Nov 21 00:41:07 2026 UTC'])(
  'rejects %j with the setting to change',
  (text) => {
    expect(() => parseTimestamp(text)).toThrow("set local datestyle to 'ISO'")
  },
)

test.each([
  ['2026-11-21T00:41:07.123Z', '2026-11-21T00:41:07.123Z'],
  ['+010000-01-01T00:00:00.000Z', '10000-01-01T00:00:00.000Z'],
  ['0000-12-31T00:00:00.000Z', '0001-12-31T00:00:00.000Z BC'],
  ['-000043-03-15T00:00:00.000Z', '0044-03-15T00:00:00.000Z BC'],
])('writes %s as %s', (iso, text) => {
  expect(formatTimestamp(new Date(iso))).toBe(text)
})
