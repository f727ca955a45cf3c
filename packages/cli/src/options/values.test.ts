import { expect, it } from 'vitest'
import { isLocal, parseTime } from './values.ts'

it.each(['2026-02-30', '2026-02-29T12:00:00Z', '2026-04-31', '2026-13-01', '2026-00-10', 'today'])(
  'rejects the time %s',
  (text) => {
    expect(() => parseTime(text, '--since')).toThrow(/--since must be a time such as 2026-09-01/)
  },
)

it.each([
  ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ['2026-09-01T23:30:00-02:00', '2026-09-02T01:30:00.000Z'],
])('reads the time %s', (text, expected) => {
  expect(parseTime(text, '--since').toISOString()).toBe(expected)
})

it.each([
  ['http://localhost:3000/', true],
  ['http://LOCALHOST./', true],
  ['http://app.localhost.:3000/', true],
  ['http://127.1/', true],
  ['http://[::1]:3000/', true],
  ['http://notlocalhost/', false],
  ['http://localhost.example.com/', false],
  ['http://192.168.1.20/', false],
])('recognizes whether %s is on this machine: %s', (url, expected) => {
  expect(isLocal(new URL(url))).toBe(expected)
})
