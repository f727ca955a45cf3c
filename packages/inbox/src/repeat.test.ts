import { expect, it } from 'vitest'
import { repeat } from './repeat.ts'

it('runs one call after the other, and continues after one that throws', async () => {
  const errors: unknown[] = []
  let running = 0
  let most = 0
  let times = 0
  const stopping = new AbortController()
  const repeating = repeat(
    1,
    async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise(setImmediate)
      running -= 1
      times += 1
      if (times % 2 === 1) throw new Error(`time ${times}`)
    },
    { signal: stopping.signal, onError: (error) => errors.push(error) },
  )
  await expect.poll(() => times).toBeGreaterThan(3)
  stopping.abort()
  await repeating
  expect(most).toBe(1)
  expect(errors.slice(0, 2)).toEqual([new Error('time 1'), new Error('time 3')])
})

it('stops after the running call, and starts no other', async () => {
  const happened: string[] = []
  let end = () => {}
  const ended = new Promise<void>((resolve) => (end = resolve))
  const stopping = new AbortController()
  const repeating = repeat(
    1,
    async () => {
      happened.push('begun')
      await ended
      happened.push('ended')
    },
    { signal: stopping.signal, onError: () => {} },
  )
  stopping.abort()
  const stopped = repeating.then(() => happened.push('stopped'))
  // By then, everything that does not wait has happened.
  await new Promise(setImmediate)
  expect(happened).toEqual(['begun'])
  end()
  await stopped
  expect(happened).toEqual(['begun', 'ended', 'stopped'])
})
