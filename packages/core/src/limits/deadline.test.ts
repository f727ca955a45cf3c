import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createDeadlines, deadlineReached, onReached, withinDeadline } from './deadline.ts'
import { createKeyring } from '../signature/keyring.ts'

const ms = 8_000
/** They share one timer, which looks so often. */
const lookEveryMs = ms / 20

describe('deadlines', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('share one timer, which ends with the last of them', () => {
    const deadlines = createDeadlines(ms)
    const started = [deadlines.start(), deadlines.start(), deadlines.start()]
    expect(vi.getTimerCount()).toBe(1)
    for (const deadline of started) deadlines.clear(deadline)
    vi.advanceTimersByTime(lookEveryMs)
    expect(vi.getTimerCount()).toBe(0)
    deadlines.start()
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(ms + lookEveryMs)
    expect(vi.getTimerCount()).toBe(0)
  })

  it.each(['first', 'second', 'third'] as const)(
    'are reached in their order, but for the %s, which is cleared',
    (cleared) => {
      const deadlines = createDeadlines(ms)
      const reached: string[] = []
      const begin = (name: string) => {
        const deadline = deadlines.start()
        onReached(deadline, () => reached.push(name))
        return deadline
      }
      const started = { first: begin('first'), second: begin('second'), third: begin('third') }
      deadlines.clear(started[cleared])
      begin('fourth')
      vi.advanceTimersByTime(ms - lookEveryMs)
      expect(reached).toEqual([])
      vi.advanceTimersByTime(2 * lookEveryMs)
      const others = ['first', 'second', 'third', 'fourth'].filter((name) => name !== cleared)
      expect(reached).toEqual(others)
    },
  )

  it('are told at once to a step that begins after they are reached', async () => {
    const deadlines = createDeadlines(ms)
    const deadline = deadlines.start()
    vi.advanceTimersByTime(ms + lookEveryMs)
    const never = new Promise<never>(() => {})
    expect(await withinDeadline(deadline, never)).toBe(deadlineReached)
  })

  it('leave no timer behind where the secrets of a provider came in time', async () => {
    const keyring = createKeyring(() => ['feed_whsec_first_0123456789'], {
      now: () => 0,
      maxAgeSeconds: 60,
      patienceMs: ms,
    })
    const deadlines = createDeadlines(ms)
    const deadline = deadlines.start()
    expect(await keyring.renew(deadline)).toHaveLength(1)
    deadlines.clear(deadline)
    vi.advanceTimersByTime(lookEveryMs)
    expect(vi.getTimerCount()).toBe(0)
  })
})
