import { once } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import { systemClock } from './clock.ts'

test('returns real time in milliseconds', () => {
  const before = Date.now()
  const now = systemClock.now()
  expect(now).toBeGreaterThanOrEqual(before)
  expect(now).toBeLessThanOrEqual(Date.now())
})

test('wakes sleepers in order of due time', async () => {
  const woken: number[] = []
  await Promise.all([40, 1, 20].map((ms) => systemClock.sleep(ms).then(() => woken.push(ms))))
  expect(woken).toEqual([1, 20, 40])
})

test('does not fire early for a sleep longer than the timer limit', async () => {
  const onWarning = vi.fn<(warning: Error) => void>()
  process.on('warning', onWarning)
  onTestFinished(() => void process.off('warning', onWarning))
  const stopping = new AbortController()
  const long = systemClock.sleep(2 ** 31 + 1000, stopping.signal).then(
    () => 'woke up',
    () => 'stopped',
  )
  await systemClock.sleep(20)
  stopping.abort()
  expect(await long).toBe('stopped')
  expect(onWarning).not.toHaveBeenCalled()
})

test('rejects with the abort reason, before and during a sleep', async () => {
  const reason = new Error('enough')
  await expect(systemClock.sleep(0, AbortSignal.abort(reason))).rejects.toBe(reason)
  const stopping = new AbortController()
  const stopped = once(stopping.signal, 'abort')
  const sleeping = systemClock.sleep(60_000, stopping.signal)
  stopping.abort(reason)
  await stopped
  await expect(sleeping).rejects.toBe(reason)
})

test.each([0, -5])('resolves a sleep of %d ms immediately', async (ms) => {
  await expect(systemClock.sleep(ms)).resolves.toBeUndefined()
})
