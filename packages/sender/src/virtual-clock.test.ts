import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { virtualClock } from './virtual-clock.ts'

test('starts at the real time by default and stands still until it is moved', async () => {
  const before = Date.now()
  const clock = virtualClock()
  expect(clock.now()).toBeGreaterThanOrEqual(before)
  expect(clock.now()).toBeLessThanOrEqual(Date.now())
  const zero = virtualClock({ start: 0 })
  expect(zero.now()).toBe(0)
  expect(await zero.advance(1500)).toBe(1500)
  expect(zero.now()).toBe(1500)
})

test.each([0, -1, Number.NaN])('a sleep of %d ms resolves at once', async (ms) => {
  const clock = virtualClock({ start: 0 })
  await clock.sleep(ms)
  expect(clock.now()).toBe(0)
})

describe('advance', () => {
  test('wakes sleepers at their due times, in order of due time and then of falling asleep', async () => {
    const clock = virtualClock({ start: 0 })
    const log: string[] = []
    const sleepAndLog = async (name: string, ms: number) => {
      await clock.sleep(ms)
      log.push(`${name}@${clock.now()}`)
    }
    void sleepAndLog('c', 30)
    void sleepAndLog('a', 10)
    void sleepAndLog('b', 10)
    void sleepAndLog('late', 101)
    await clock.advance(100)
    expect(log).toEqual(['a@10', 'b@10', 'c@30'])
    await clock.advance(1)
    expect(log.at(-1)).toBe('late@101')
  })

  test('lets each sleeper run before it wakes the next, and wakes new sleepers on the way', async () => {
    const clock = virtualClock({ start: 0 })
    const log: string[] = []
    const repeat = async (name: string, ms: number) => {
      for (;;) {
        await clock.sleep(ms)
        await Promise.resolve()
        await Promise.resolve()
        log.push(`${name}@${clock.now()}`)
      }
    }
    void repeat('x', 20)
    void repeat('y', 30)
    await clock.advance(60)
    expect(log).toEqual(['x@20', 'y@30', 'x@40', 'y@60', 'x@60'])
    expect(clock.now()).toBe(60)
  })

  test('runs overlapping calls one after the other', async () => {
    const clock = virtualClock({ start: 0 })
    expect(await Promise.all([clock.advance(10), clock.advance(5), clock.advance(0)])).toEqual([
      10, 15, 15,
    ])
  })

  test.each([-1, Number.NaN])('rejects %d ms', async (ms) => {
    await expect(virtualClock().advance(ms)).rejects.toThrow(RangeError)
  })

  test('waits for work that holds the clock, however long it takes', async () => {
    const clock = virtualClock({ start: 0 })
    const seen: number[] = []
    const work = async () => {
      for (;;) {
        await clock.sleep(10)
        const release = clock.hold()
        await setTimeout(5)
        seen.push(clock.now())
        const slept = clock.sleep(10)
        release()
        release()
        await slept
      }
    }
    void work()
    await clock.advance(50)
    expect(seen).toEqual([10, 30, 50])
  })
})

describe('next', () => {
  test('jumps to the earliest due time and wakes every sleeper that is due', async () => {
    const clock = virtualClock({ start: 1000 })
    const woken: string[] = []
    void clock.sleep(7).then(() => woken.push('first'))
    void clock.sleep(9).then(() => woken.push('later'))
    void clock.sleep(7).then(() => woken.push('second'))
    expect(await clock.next()).toBe(1007)
    expect(woken).toEqual(['first', 'second'])
    expect(await clock.next()).toBe(1009)
  })

  test('waits until something sleeps', async () => {
    const clock = virtualClock({ start: 0 })
    const jumped = clock.next()
    expect(await clock.advance(5)).toBe(5)
    const slept = clock.sleep(10)
    expect(await jumped).toBe(15)
    await slept
  })

  test('keeps waiting after the only sleeper was aborted', async () => {
    const clock = virtualClock({ start: 0 })
    const stopping = new AbortController()
    const stopped = clock.sleep(10, stopping.signal).catch(() => 'stopped')
    const jumped = clock.next()
    stopping.abort()
    expect(await stopped).toBe('stopped')
    await clock.advance(3)
    void clock.sleep(4)
    expect(await jumped).toBe(7)
  })
})

describe('aborted sleepers', () => {
  test('reject with the reason and are never woken', async () => {
    const clock = virtualClock({ start: 0 })
    const reason = new Error('enough')
    const stopping = new AbortController()
    const log: string[] = []
    const stopped = clock.sleep(10, stopping.signal).catch((error: unknown) => error)
    void clock.sleep(20).then(() => log.push(`other@${clock.now()}`))
    stopping.abort(reason)
    expect(await stopped).toBe(reason)
    expect(await clock.next()).toBe(20)
    expect(log).toEqual(['other@20'])
    await expect(clock.sleep(1, AbortSignal.abort(reason))).rejects.toBe(reason)
  })

  test('ignore a signal that aborts after the sleep', async () => {
    const clock = virtualClock({ start: 0 })
    const stopping = new AbortController()
    const slept = clock.sleep(10, stopping.signal)
    const other = clock.sleep(20)
    await clock.next()
    await slept
    stopping.abort()
    expect(await clock.next()).toBe(20)
    await other
  })
})

describe('autoAdvance', () => {
  test('skips an hour of sleeps by itself, in order', async () => {
    const clock = virtualClock({ start: 0, autoAdvance: true })
    const log: string[] = []
    const repeat = async (name: string, ms: number, times: number) => {
      for (let time = 0; time < times; time++) {
        await clock.sleep(ms)
        log.push(`${name}@${clock.now() / 60_000}`)
      }
    }
    await Promise.all([repeat('x', 20 * 60_000, 3), repeat('y', 30 * 60_000, 2)])
    expect(log).toEqual(['x@20', 'y@30', 'x@40', 'y@60', 'x@60'])
  })

  test('starts again after a pause', async () => {
    const clock = virtualClock({ start: 0, autoAdvance: true })
    await clock.sleep(5)
    await setTimeout(1)
    await clock.sleep(5)
    expect(clock.now()).toBe(10)
  })
})
