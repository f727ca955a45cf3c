import { expect, it } from 'vitest'
import { eventAt, eventId, planDeliveries } from './deliveries.ts'

it('sends every event, some concurrently and some out of order', () => {
  const deliveries = planDeliveries(3, 2_000)
  const indices = deliveries.map(({ index }) => index)
  expect(indices.toSorted((a, b) => a - b)).toEqual([...indices.keys()])
  const repeated = deliveries.filter(({ copies }) => copies > 1).length
  expect(repeated).toBeGreaterThan(500)
  expect(repeated).toBeLessThan(700)
  const late = indices.filter((index, position) => index < position).length
  expect(late).toBeGreaterThan(300)
})

it('is determined by its seed', () => {
  expect(planDeliveries(3, 100)).toEqual(planDeliveries(3, 100))
  expect(planDeliveries(4, 100)).not.toEqual(planDeliveries(3, 100))
})

it('creates events with unique ids that reach a handler', () => {
  const events = Array.from({ length: 40 }, (_, index) => eventAt(9, index))
  expect(events.map(({ id }) => id)).toEqual([...events.keys()].map((index) => eventId(9, index)))
  expect(events.map(({ type }) => type)).not.toContain('destination_test')
})
