import { createInbox, storedDeliveries, type EntryFilter } from '@feed-receiver/inbox'
import { expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { isOnCitus, useDatabase } from '../../../../test/support/databases.ts'
import {
  countHeldCommits,
  holdCommits,
  letCommitsWait,
} from '../../../../test/support/hold-commits.ts'
import { follow, type DeliverySource } from './relay-each.ts'

const database = useDatabase('postgres', 'inbox', { queryTimeoutMs: 60_000 })

// Citus supports no triggers, which delay the commit here.
it.skipIf(isOnCitus('postgres'))(
  'yields once a delivery that commits after a later one was read',
  async () => {
    const inbox = createInbox({ database: database() })
    await inbox.start()
    onTestFinished(() => inbox.stop())
    const store = async (id: string) => await inbox.accept(deliveryOf(makeEvent({ id })))
    await store('evt_earlier')
    await letCommitsWait(database(), ['feed_inbox.entry'], `new.event_id = 'evt_held'`)
    const release = await holdCommits(database())
    const { yielded, polls } = followEntries()
    await expect.poll(() => polls.length).toBeGreaterThan(2)

    const held = store('evt_held')
    await expect.poll(() => countHeldCommits(database())).toBe(1)
    await store('evt_later')
    await expect.poll(() => yielded).toEqual(['evt_later'])
    await release()
    expect(await held).toBe('stored')
    await expect.poll(() => yielded).toContain('evt_held')
    // Yielded by a later poll, so a delivery that is yielded twice is in the list by now.
    await store('evt_last')
    await expect.poll(() => yielded).toContain('evt_last')
    expect(yielded).toEqual(['evt_later', 'evt_held', 'evt_last'])
    const { rows } = await database().query(
      `select event_id as "eventId" from feed_inbox.entry order by received_at, id`,
    )
    expect(rows.map(({ eventId }) => eventId)).toEqual([
      'evt_earlier',
      'evt_held',
      'evt_later',
      'evt_last',
    ])
  },
)

it('yields nothing received before --since, whether or not anything was received since', async () => {
  const inbox = createInbox({ database: database() })
  await inbox.start()
  onTestFinished(() => inbox.stop())
  const store = async (id: string) => await inbox.accept(deliveryOf(makeEvent({ id })))
  await store('evt_before')
  await database().query(`update feed_inbox.entry set received_at = now() - interval '30 seconds'`)
  const { yielded, polls } = followEntries({ since: new Date(Date.now() - 15_000) })
  await expect.poll(() => polls.length).toBeGreaterThan(2)
  await store('evt_new')
  await expect.poll(() => yielded).toContain('evt_new')
  // The poll that yields it reads back from evt_new.
  await store('evt_newest')
  await expect.poll(() => yielded).toContain('evt_newest')
  expect(yielded).toEqual(['evt_new', 'evt_newest'])
})

/** Follows the inbox until the test ends, and counts the deliveries that each poll found. */
function followEntries(filter: EntryFilter = {}) {
  const stored = storedDeliveries({ database: database(), source: 'feed', schema: 'feed_inbox' })
  const polls: number[] = []
  const source: DeliverySource = {
    ...stored,
    async find(target, limit) {
      const found = await stored.find(target, limit)
      polls.push(found.length)
      return found
    },
  }
  const stopping = new AbortController()
  const yielded: string[] = []
  const following = collect()
  onTestFinished(async () => {
    stopping.abort()
    await following
  })
  return { yielded, polls }

  async function collect(): Promise<void> {
    for await (const { eventId } of follow(source, { filter, signal: stopping.signal })) {
      yielded.push(eventId)
    }
  }
}
