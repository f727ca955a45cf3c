import { fixture } from '@feed-receiver/sender'

interface Seam {
  /** The path of the module with the feed, without its extension. */
  feed: string
  /** Imports of the route. */
  imported?: string
  /** An expression with the answer to a signed `delivery`. */
  answered: string
}

/** A test in vitest of an app whose routes are files, as its owner would write it. */
export function seamTest({ feed, imported = '', answered }: Seam): string {
  return `import { existsSync } from 'node:fs'
import { signDelivery } from '@feed-receiver/core/testing'
import { untilIdle } from '@feed-receiver/inbox/testing'
import { expect, it, vi } from 'vitest'
import * as feed from '${feed}'
${imported}
const secret = vi.hoisted(() => {
  process.env.DATABASE_URL = 'file:.test-database'
  return (process.env.FEED_SIGNING_SECRET = 'feed_whsec_of_a_test_0123456789')
})
vi.mock('${feed.replace('feed-receiver', 'feed-handlers')}', () => {
  let runs = 0
  const outage_started = () => {
    runs += 1
    if (runs === 1) throw new Error('The page cannot be sent.')
  }
  return { handlers: { outage_started } }
})

it('opens nothing when it is imported', () => {
  expect([existsSync('.feed-receiver'), existsSync('.test-database')]).toEqual([false, false])
})

it('retries a failing event now', async () => {
  feed.startFeed()
  const event = ${JSON.stringify(fixture('outage_started'))}
  const delivery = signDelivery(event, { secret })
  await vi.waitUntil(async () => (await ${answered}).status < 300, { timeout: 50_000, interval: 500 })
  await untilIdle(feed.inbox)
  expect((await feed.inbox.entries.list({})).entries[0].isFailing).toBe(true)
  await feed.retryNow()
  await untilIdle(feed.inbox)
  expect((await feed.inbox.entries.get(event.id)).state).toBe('done')
  await feed.stopFeed()
}, 60_000)
`
}
