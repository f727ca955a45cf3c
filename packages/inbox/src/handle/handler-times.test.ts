import { expect, it } from 'vitest'
import { createHandlerTimes, type HandlerTimes } from './handler-times.ts'

it('are short once twenty handlers were, with one exception', () => {
  const times = createHandlerTimes()
  add(times, 18, 1)
  add(times, 1, 50)
  expect(times.areShort('outage_started')).toBe(false)
  add(times, 1, 1)
  expect(times.areShort('outage_started')).toBe(true)
  expect(times.areShort('outage_resolved')).toBe(false)
  add(times, 1, 50)
  expect(times.areShort('outage_started')).toBe(false)
})

it('run alone for longer each time that they did not fit', () => {
  const times = createHandlerTimes()
  add(times, 20, 1)
  for (const alone of [20, 40, 80, 160]) {
    times.runAlone('outage_started')
    add(times, alone - 1, 1)
    expect(times.areShort('outage_started')).toBe(false)
    add(times, 1, 1)
    expect(times.areShort('outage_started')).toBe(true)
  }
})

function add(times: HandlerTimes, count: number, ms: number): void {
  for (let added = 0; added < count; added += 1) times.add('outage_started', ms)
}
