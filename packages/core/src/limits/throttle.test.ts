import { beforeEach, afterEach, expect, it, vi } from 'vitest'
import { createThrottle } from './throttle.ts'

const kib = 1_024

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

it('never makes a body of 16 KiB wait', () => {
  const throttle = createThrottle()
  for (let count = 0; count < 10_000; count += 1) expect(throttle(16 * kib, 16 * kib)).toBe(0)
})

it('makes the larger bodies wait 1 ms for 64 KiB, one after the other', () => {
  const throttle = createThrottle()
  expect([throttle(64 * kib, 128 * kib), throttle(32 * kib, 96 * kib)]).toEqual([1, 1.5])
  vi.advanceTimersByTime(1)
  expect(throttle(64 * kib, 192 * kib)).toBe(1.5)
  vi.advanceTimersByTime(1_000)
  expect(throttle(64 * kib, 256 * kib)).toBe(1)
})

it('makes none wait longer than a quarter of a second, whatever was read before', () => {
  const throttle = createThrottle()
  for (let count = 0; count < 1_000; count += 1) throttle(64 * kib, 128 * kib)
  expect(throttle(64 * kib, 128 * kib)).toBe(250)
})
