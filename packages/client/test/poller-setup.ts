import { createInbox, type Inbox } from '@feed-receiver/inbox'
import { virtualClock } from '@feed-receiver/sender/testing'
import { expect, onTestFinished } from 'vitest'
import type { useDatabase } from '../../../test/support/databases.ts'
import {
  createClient,
  createPoller,
  type ClientOptions,
  type PollAlert,
  type PollerOptions,
} from '../src/index.ts'
import { makeEvent } from './make-event.ts'
import { serveFeed, type ServedFeed, type ServeFeedOptions } from './serve-feed.ts'

export const start = Date.parse('2026-12-01T00:00:00Z')
export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

let sources = 0

/** Sets up a feed, an inbox of its own source, and pollers between them on a virtual clock. */
export function pollerSetup(database: ReturnType<typeof useDatabase>) {
  return async ({ firstCursor }: ServeFeedOptions = {}) => {
    const feed = await serveFeed({ ...(firstCursor && { firstCursor }) })
    // All tests share the tables of one inbox, because a migration takes longer than most tests.
    sources += 1
    const inbox = createInbox({ database: database(), source: `poll-${sources}` })
    await inbox.start()
    onTestFinished(() => inbox.stop())
    const clock = virtualClock({ start })
    let setBackMs = 0
    /** The same clock, whose time of day a person may set back. */
    const timeOfDay = {
      clock: { ...clock, now: () => clock.now() - setBackMs, elapsed: clock.now },
      setBack: (ms: number) => (setBackMs = ms),
    }
    const alerts: PollAlert[] = []
    const errors: unknown[] = []

    function pollerOf(
      options: Partial<PollerOptions> = {},
      clientOptions: Partial<ClientOptions> = {},
    ) {
      const client = createClient({
        baseUrl: feed.baseUrl,
        apiKey: 'feed_live_good',
        clock,
        ...clientOptions,
      })
      const poller = createPoller({
        client,
        inbox,
        onAlert: (alert) => alerts.push(alert),
        onError: (error) => errors.push(error),
        ...options,
      })
      onTestFinished(() => poller.stop())
      return poller
    }

    const codes = () => alerts.map(({ code }) => code)
    const stream = async () => (await inbox.streams.list())[0]
    /** Advances the clock and waits until the rounds that are due have ended. */
    async function pass(ms: number) {
      await clock.advance(ms)
      await expect
        .poll(stream, { interval: 5 })
        .toMatchObject({ phase: expect.stringMatching(/^(?!catching)/) })
    }
    return { feed, inbox, clock, timeOfDay, alerts, codes, errors, pollerOf, stream, pass }
  }
}

export async function idsIn(inbox: Inbox): Promise<string[]> {
  const { entries } = await inbox.entries.list({ limit: 500 })
  return entries.map(({ eventId }) => eventId).toReversed()
}

export function publish(feed: ServedFeed, from: number, to: number) {
  for (let number = from; number <= to; number += 1) feed.publish(makeEvent(number))
}

export function range(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, at) => `evt_${from + at}`)
}
