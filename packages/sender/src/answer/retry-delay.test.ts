import { describe, expect, test } from 'vitest'
import { maxAttempts, retryDelayMs } from './retry-delay.ts'

const nowMs = Date.UTC(2026, 10, 21, 12, 0, 0)
const failed = { status: 503 }

describe('backoff', () => {
  test('spreads eight attempts over 63.5 minutes [R235]', () => {
    let offset = 0
    const offsets = [0]
    for (let attempt = 1; attempt < maxAttempts; attempt++) {
      offset += retryDelayMs(attempt, failed, { nowMs })
      offsets.push(offset / 1000)
    }
    expect(offsets).toEqual([0, 30, 90, 210, 450, 930, 1890, 3810])
  })

  test.each([
    [7, 1_920_000],
    [8, 3_600_000],
    [20, 3_600_000],
    [5000, 3_600_000],
  ])('waits after attempt %d for %d ms, and never more than an hour', (attempt, delayMs) => {
    expect(retryDelayMs(attempt, { status: null }, { nowMs })).toBe(delayMs)
  })

  test.each([0, -1, 1.5, Number.NaN, Infinity])('rejects attempt %d', (attempt) => {
    expect(() => retryDelayMs(attempt, failed, { nowMs })).toThrow(RangeError)
  })
})

describe('jitter', () => {
  test('adds up to 10 %, before the cap [R235]', () => {
    expect(jitteredDelays(0)).toEqual([30_000, 60_000, 3_600_000])
    expect(jitteredDelays(0.5)).toEqual([31_500, 63_000, 3_600_000])
    expect(jitteredDelays(1)).toEqual([33_000, 66_000, 3_600_000])
  })

  test('does not change Retry-After', () => {
    const answer = { status: 429, retryAfter: '5' }
    expect(retryDelayMs(1, answer, { nowMs, jitter: () => 1 })).toBe(5000)
  })
})

describe('Retry-After', () => {
  test.each([
    ['5', 5000],
    ['3600', 3_600_000],
    ['7200', 3_600_000],
    ['9'.repeat(400), 3_600_000],
    ['Sat, 21 Nov 2026 12:01:30 GMT', 90_000],
    ['Sun, 22 Nov 2026 12:00:00 GMT', 3_600_000],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 60_000],
    ['soon', 60_000],
    ['0', 60_000],
    ['-5', 60_000],
    [undefined, 60_000],
  ])('%s on a 429 after the second attempt [R236]', (retryAfter, delayMs) => {
    expect(retryDelayMs(2, { status: 429, retryAfter }, { nowMs })).toBe(delayMs)
  })

  test('is ignored for every other status [R236]', () => {
    const statuses = [null, ...Array.from({ length: 500 }, (_, index) => index + 100)]
    const shortened = statuses.filter(
      (status) => retryDelayMs(1, { status, retryAfter: '5' }, { nowMs }) !== 30_000,
    )
    expect(shortened).toEqual([429])
  })
})

function jitteredDelays(share: number): number[] {
  return [1, 2, 8].map((attempt) => retryDelayMs(attempt, failed, { nowMs, jitter: () => share }))
}
