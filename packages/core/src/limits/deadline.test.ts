import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  clearDeadline,
  deadlineReached,
  onReached,
  startDeadline,
  withinDeadline,
} from './deadline.ts'
import { readSecrets } from '../signature/hmac.node.ts'
import { createKeyring } from '../signature/keyring.ts'

const ms = 8_000

describe('deadlines', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('leave no timer behind when cleared or reached', () => {
    const started = [startDeadline(ms), startDeadline(ms), startDeadline(ms)]
    expect(vi.getTimerCount()).toBe(3)
    for (const deadline of started) clearDeadline(deadline)
    expect(vi.getTimerCount()).toBe(0)
    startDeadline(ms)
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(ms)
    expect(vi.getTimerCount()).toBe(0)
  })

  it.each(['first', 'second', 'third'] as const)(
    'are reached in order after the %s is cleared',
    (cleared) => {
      const reached: string[] = []
      const begin = (name: string) => {
        const deadline = startDeadline(ms)
        onReached(deadline, () => reached.push(name))
        return deadline
      }
      const started = { first: begin('first'), second: begin('second'), third: begin('third') }
      clearDeadline(started[cleared])
      begin('fourth')
      vi.advanceTimersByTime(ms - 1)
      expect(reached).toEqual([])
      vi.advanceTimersByTime(1)
      const others = ['first', 'second', 'third', 'fourth'].filter((name) => name !== cleared)
      expect(reached).toEqual(others)
    },
  )

  it('do not fire early if they exceed the timer limit', () => {
    const deadline = startDeadline(Number.MAX_SAFE_INTEGER)
    vi.advanceTimersByTime(ms)
    expect(deadline.isReached).toBe(false)
    clearDeadline(deadline)
  })

  it('call the check every few seconds from the third second until they are reached', () => {
    const deadline = startDeadline(ms)
    let looks = 0
    deadline.check = () => void (looks += 1)
    vi.advanceTimersByTime(2_999)
    expect(looks).toBe(0)
    vi.advanceTimersByTime(1)
    expect(looks).toBe(1)
    vi.advanceTimersByTime(ms)
    expect([looks, deadline.isReached]).toEqual([20, true])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('stop calling the check after it clears them', () => {
    const deadline = startDeadline(ms)
    deadline.check = () => clearDeadline(deadline)
    vi.advanceTimersByTime(ms)
    expect([vi.getTimerCount(), deadline.isReached]).toEqual([0, false])
  })

  it('end a step at once if it begins after they are reached', async () => {
    const deadline = startDeadline(ms)
    vi.advanceTimersByTime(ms)
    const never = new Promise<never>(() => {})
    expect(await withinDeadline(deadline, never)).toBe(deadlineReached)
  })

  it('leave no timer behind when the provider returns secrets in time', async () => {
    const keyring = createKeyring(() => ['feed_whsec_first_0123456789'], {
      readSecrets,
      now: () => 0,
      maxAgeSeconds: 60,
      lostAfterMs: 9_000,
      patienceMs: ms,
    })
    const deadline = startDeadline(ms)
    expect(await keyring.renew(deadline)).toHaveLength(1)
    clearDeadline(deadline)
    expect(vi.getTimerCount()).toBe(0)
  })
})
