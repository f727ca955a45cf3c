import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Link } from './chain.ts'
import { createSlots } from './slots.ts'

interface Item extends Link<Item> {}

function setup() {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const slots = createSlots<Item>({ max: 2, lostAfterMs: 9_000 })
  const take = () => {
    const link: Item = { before: undefined, after: undefined, startedAt: performance.now() }
    return slots.take(link) ? link : undefined
  }
  return { slots, take }
}

describe('slots', () => {
  it('are limited in number, and free again when released', () => {
    const { slots, take } = setup()
    const first = take()
    expect([first, take(), take()]).toEqual([expect.anything(), expect.anything(), undefined])
    if (first) slots.give(first)
    if (first) slots.give(first)
    expect([take(), take()]).toEqual([expect.anything(), undefined])
  })

  it('expire if they are never released', () => {
    const { slots, take } = setup()
    const lost = [take(), take()]
    vi.advanceTimersByTime(9_000)
    expect(take()).toBeUndefined()
    vi.advanceTimersByTime(1)
    expect([take(), take(), take()]).toEqual([expect.anything(), expect.anything(), undefined])
    // A late release frees nothing.
    for (const link of lost) if (link) slots.give(link)
    expect(take()).toBeUndefined()
  })
})
