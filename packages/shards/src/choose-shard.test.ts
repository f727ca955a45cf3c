import type { FeedEvent } from '@feed-receiver/core'
import { describe, expect, it } from 'vitest'
import { deliveryOf } from '../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../test/contract/harness.ts'
import { chooseShard, createChoice, type ShardChoice } from './choose-shard.ts'

const eventOf = (overrides: object) => deliveryOf(makeEvent(overrides)).event
const keys = Array.from({ length: 3_000 }, (_, index) => `evt_${index}`)

describe('the shard of a key', () => {
  it('is the same in every process and version', () => {
    const chosen = ['evt_1', 'evt_2', 'evt_3', 'evt_4', 'evt_5'].map((key) => chooseShard(key, 5))
    expect(chosen).toMatchInlineSnapshot(`
      [
        4,
        1,
        2,
        0,
        1,
      ]
    `)
  })

  it.each([2, 3, 10, 1_000])('spreads keys evenly over %i', (count) => {
    const perShard = new Map<number, number>()
    for (let key = 0; key < count * 100; key += 1) {
      const shard = chooseShard(`evt_${key}`, count)
      perShard.set(shard, (perShard.get(shard) ?? 0) + 1)
    }
    expect(perShard.size).toBe(count)
    expect(Math.min(...perShard.values())).toBeGreaterThan(50)
    expect(Math.max(...perShard.values())).toBeLessThan(160)
  })

  it('moves only a fair share of the keys to a new shard', () => {
    for (const count of [1, 2, 3, 7]) {
      const moved = keys.filter((key) => chooseShard(key, count) !== chooseShard(key, count + 1))
      expect(new Set(moved.map((key) => chooseShard(key, count + 1)))).toEqual(new Set([count]))
      const share = moved.length / keys.length
      expect(Math.abs(share - 1 / (count + 1))).toBeLessThan(0.05)
    }
  })
})

describe('the choice for an event', () => {
  const until = '2026-11-01T00:00:00Z'
  const of = ({ ofEvent }: ShardChoice, events: readonly FeedEvent[]) =>
    events.map((event) => ofEvent(event))
  const before = keys.map((id) => eventOf({ id, created_at: '2026-10-31T23:59:59.999Z' }))
  const after = keys.map((id) => eventOf({ id, created_at: until }))

  it('keeps events from before a time in their earlier shard', () => {
    const two = createChoice(2)
    const three = createChoice(3, { shards: 2, until })
    expect(of(three, before)).toEqual(of(two, before))
    expect(of(three, after)).toEqual(of(createChoice(3), after))
  })

  it('applies several earlier numbers of shards', () => {
    const choice = createChoice(4, [
      { shards: 1, until: '2026-10-01T00:00:00Z' },
      { shards: 2, until },
    ])
    expect(of(choice, before)).toEqual(of(createChoice(2), before))
    const earliest = keys.map((id) => eventOf({ id, created_at: '2026-09-30T00:00:00Z' }))
    expect(new Set(of(choice, earliest))).toEqual(new Set([0]))
  })

  it('keeps a subject together if the inboxes are ordered', () => {
    const { ofEvent } = createChoice(5)
    const events = keys.slice(0, 50).map((id) => eventOf({ id }))
    expect(new Set(events.map((one) => ofEvent(one, true))).size).toBe(1)
    const { data, ...event } = eventOf({})
    const without = keys.slice(0, 50).map((id) => ({
      ...event,
      id,
      data: { ...data, subject: { type: null, key: null } },
    }))
    expect(new Set(without.map((one) => ofEvent(one, true))).size).toBe(5)
  })

  it.each([
    { shards: 0, until },
    { shards: 3, until },
    { shards: 1.5, until },
    { shards: 1, until: 'soon' },
    [
      { shards: 2, until },
      { shards: 1, until: '2026-12-01T00:00:00Z' },
    ],
    [
      { shards: 1, until },
      { shards: 2, until },
    ],
  ])('rejects %j', (previous) => {
    expect(() => createChoice(3, previous)).toThrow(/^previous/)
  })
})
