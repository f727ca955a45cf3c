import { expect, it } from 'vitest'
import { idempotencyKeyOf } from './effects.ts'

it('gives every event, round and key another idempotency key', () => {
  const effects = [
    { eventId: 'a', round: 0, key: 'b/c' },
    { eventId: 'a/b', round: 0, key: 'c' },
    { eventId: 'a%2fb', round: 0, key: 'c' },
    { eventId: 'a', round: 1, key: 'c' },
    { eventId: 'a~1', round: 0, key: 'c' },
    { eventId: 'a', round: 0, key: '1/c' },
    { eventId: 'a', round: 0, key: 'c/1' },
  ]
  const keys = effects.map(({ key, ...entry }) =>
    idempotencyKeyOf({ source: 'feed', ...entry }, key),
  )
  expect(new Set(keys).size).toBe(effects.length)
  expect(keys[0]).toBe('feed/a/b/c')
})
