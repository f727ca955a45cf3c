import { expect, it } from 'vitest'
import { createHandlerTimes, type HandlerTimes } from './handler-times.ts'

it('are short once three quarters of twenty handlers were', () => {
  const times = createHandlerTimes((type) => (type === 'outage_resolved' ? 'other' : 'one'), 10)
  add(times, 14, 1)
  add(times, 5, 50)
  expect(times.isShort('outage_started')).toBe(false)
  add(times, 1, 1)
  expect(times.isShort('outage_started')).toBe(true)
  expect(times.isShort('model_release')).toBe(true)
  expect(times.isShort('outage_resolved')).toBe(false)
  add(times, 1, 50)
  expect(times.isShort('outage_started')).toBe(false)
})

it('run alone for longer each time that they did not fit, until they have fitted for as long', () => {
  const times = createHandlerTimes((type) => (type === 'outage_resolved' ? 'other' : 'one'), 10)
  add(times, 20, 1)
  for (const alone of [20, 40, 80, 160]) runsAloneFor(alone)
  add(times, 161, 1)
  runsAloneFor(20)

  function runsAloneFor(count: number): void {
    // Eight of one transaction count once.
    for (let told = 0; told < 8; told += 1) times.runAlone('outage_started')
    add(times, count - 1, 1)
    expect(times.isShort('outage_started')).toBe(false)
    add(times, 1, 1)
    expect(times.isShort('outage_started')).toBe(true)
  }
})

function add(times: HandlerTimes, count: number, ms: number): void {
  for (let added = 0; added < count; added += 1) times.add('outage_started', ms)
}
