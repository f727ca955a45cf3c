import { knownTypes, parseEvent } from '@feed-receiver/core/internal'
import { expect, test } from 'vitest'
import { eventBuilders } from '../fixtures/fixtures.ts'

test.each(knownTypes)('%s: builds valid events with different ids', (type) => {
  const make = eventBuilders()
  const events = [make[type](), make[type]()]
  expect(events.map(({ id }) => id)).toEqual([`evt_${type}_1`, `evt_${type}_2`])
  for (const event of events) {
    expect(event.type).toBe(type)
    expect(parseEvent(Buffer.from(JSON.stringify(event)))).toMatchObject({ event })
  }
})

test('starts ids at 1 for each set of builders, with its own prefix', () => {
  expect(eventBuilders().cli_update().id).toBe('evt_cli_update_1')
  expect(eventBuilders().cli_update().id).toBe('evt_cli_update_1')
  expect(eventBuilders({ prefix: 'mine' }).cli_update().id).toBe('mine_cli_update_1')
})

test('replaces members, including the id', () => {
  const make = eventBuilders()
  const event = make.outage_started({ id: 'evt_own', data: { summary: null } })
  expect(event).toMatchObject({ id: 'evt_own', data: { summary: null, category: 'outages' } })
})
