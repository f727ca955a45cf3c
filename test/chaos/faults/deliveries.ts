import { fixture, fixtures } from '@feed-receiver/sender'
import type { FeedEvent } from '@feed-receiver/core'
import { seededRandom } from './random.ts'

/** How one event is sent: how often at once. Its position in the list is the order. */
export interface PlannedDelivery {
  index: number
  copies: number
}

/** About 30 % of the events are sent two or three times at once, and 20 % are sent late. */
export function planDeliveries(seed: number, events: number): PlannedDelivery[] {
  const random = seededRandom(seed ^ 0x5eed)
  const planned = Array.from({ length: events }, (_, index) => ({
    index,
    copies: random.next() < 0.3 ? 2 + random.below(2) : 1,
    position: index + (random.next() < 0.2 ? 1 + random.below(50) : 0),
  }))
  return planned
    .toSorted((a, b) => a.position - b.position || a.index - b.index)
    .map(({ index, copies }) => ({ index, copies }))
}

const types = fixtures.map(({ type }) => type).filter((type) => type !== 'destination_test')

export function eventAt(seed: number, index: number): FeedEvent {
  return fixture(types[index % types.length] ?? '', { id: eventId(seed, index) })
}

export function eventId(seed: number, index: number): string {
  return `evt_fault_${seed}_${index}`
}
