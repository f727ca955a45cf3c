import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { breakableBy, createBreaker } from './breaker.ts'

test('stops what is watching, once, and what comes later at once', () => {
  const breaker = createBreaker()
  const stopped: string[] = []
  breaker.watch(() => stopped.push('first'))
  breaker.watch(() => stopped.push('unwatched'))()
  expect(breaker.isBroken).toBe(false)
  breaker.break()
  breaker.break()
  breaker.watch(() => stopped.push('late'))
  expect(breaker.isBroken).toBe(true)
  expect(stopped).toEqual(['first', 'late'])
})

test.each(['outer', 'signal'])('work is broken off by the %s, and lets go of both', async (by) => {
  const outer = createBreaker()
  const stopping = new AbortController()
  const work = breakableBy(outer, stopping.signal, async (breaker) => {
    expect(breaker.isBroken).toBe(false)
    await new Promise<void>((resolve) => {
      breaker.watch(resolve)
      if (by === 'outer') outer.break()
      else stopping.abort()
    })
    return breaker.isBroken
  })
  expect(await work).toBe(true)
  expect(outer.isBroken).toBe(by === 'outer')
  expect(getEventListeners(stopping.signal, 'abort')).toEqual([])
})

test('a long-lived signal gathers no listeners', async () => {
  const { signal } = new AbortController()
  for (let work = 0; work < 20; work++) await breakableBy(createBreaker(), signal, async () => {})
  const failing = breakableBy(createBreaker(), signal, () => Promise.reject(new Error('no')))
  await expect(failing).rejects.toThrow('no')
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
