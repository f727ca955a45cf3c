import { describe, expect, it } from 'vitest'
import { retryAfterSeconds } from './retry-after.ts'

const createdAt = '2026-11-02T10:00:00.000Z'
const created = Date.parse(createdAt)

describe('Retry-After of an overloaded receiver', () => {
  it('is about a minute for a new event', () => {
    for (let count = 0; count < 100; count += 1) {
      const seconds = retryAfterSeconds(createdAt, created + 500)
      expect(seconds).toBeGreaterThanOrEqual(48)
      expect(seconds).toBeLessThanOrEqual(72)
    }
  })

  it('spreads eight rejected attempts over hours [R238]', () => {
    for (let count = 0; count < 100; count += 1) {
      let now = created
      for (let attempt = 1; attempt < 8; attempt += 1)
        now += 1_000 * retryAfterSeconds(createdAt, now)
      expect((now - created) / 3_600_000).toBeGreaterThan(1.9)
    }
  })

  it('is a whole number of seconds up to an hour, whatever the clock skew', () => {
    const times = ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59Z', createdAt, 'no time', undefined]
    for (const time of times) {
      const seconds = retryAfterSeconds(time, created)
      expect(Number.isInteger(seconds)).toBe(true)
      expect(seconds).toBeGreaterThanOrEqual(48)
      expect(seconds).toBeLessThanOrEqual(3_600)
    }
  })
})
