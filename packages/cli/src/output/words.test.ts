import { expect, it } from 'vitest'
import { describeEntries, many } from './words.ts'

it.each([
  [0, 'entry', '0 entries'],
  [1, 'entry', '1 entry'],
  [1234, 'entry', '1,234 entries'],
  [2, 'delivery', '2 deliveries'],
  [2, 'push', '2 pushes'],
  [1000, 'time', '1,000 times'],
  [2, 'day', '2 days'],
])('writes %i of %s as %s', (count, what, written) => {
  expect(many(count, what)).toBe(written)
})

it('writes "at least" for a count that stopped at a limit', () => {
  expect(describeEntries({ count: 100_000, isExact: false })).toBe('at least 100,000 entries')
})
