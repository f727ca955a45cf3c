import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { withinTime } from './in-time.ts'

it('leaves no listener at the signal of the run', async () => {
  const { signal } = new AbortController()
  for (let call = 0; call < 20; call += 1) {
    expect(await withinTime(Promise.resolve(call), { limitMs: 60_000, signal })).toBe(call)
  }
  expect(getEventListeners(signal, 'abort')).toEqual([])
  expect(await withinTime(new Promise(() => {}), { limitMs: 10, signal })).toBeUndefined()
})
