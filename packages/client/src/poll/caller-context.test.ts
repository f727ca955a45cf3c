import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, it } from 'vitest'
import { useDatabase } from '../../../../test/support/databases.ts'
import { makeEvent } from '../../test/make-event.ts'
import { idsIn, minute, pollerSetup, publish } from '../../test/poller-setup.ts'
import type { PollInbox } from '../index.ts'

const setUp = pollerSetup(useDatabase('postgres', 'inbox'))

it('hides the stores of the code that starts a poller from all its callbacks', async () => {
  const { feed, inbox, pollerOf, clock } = await setUp()
  const storage = new AsyncLocalStorage<string>()
  const seen = new Map<string, unknown>()
  const see = (callback: string) => void seen.set(callback, storage.getStore())
  let isAway = true
  const take: PollInbox['streams']['take'] = async (...options) => {
    if (isAway) throw new Error('away')
    return await inbox.streams.take(...options)
  }
  publish(feed, 1, 1)
  feed.publish({ ...makeEvent(2), sourceUrl: 'sourceless' })
  const poller = pollerOf(
    {
      inbox: { ...inbox, streams: { ...inbox.streams, take } },
      onError: () => see('onError'),
      onAlert: () => see('onAlert'),
    },
    {
      apiKey: () => (see('apiKey'), 'feed_live_good'),
      fetch: (...request) => (see('fetch'), fetch(...request)),
    },
  )
  await storage.run('request', () => poller.start())
  await expect.poll(() => seen.has('onError')).toBe(true)
  isAway = false
  await clock.advance(minute)
  storage.run('another request', poller.pollNow)
  await expect.poll(() => idsIn(inbox)).toEqual(['evt_1'])
  await expect.poll(() => seen.has('onAlert')).toBe(true)
  const callbacks = ['onError', 'apiKey', 'fetch', 'onAlert']
  expect([...seen]).toEqual(callbacks.map((callback) => [callback, undefined]))
})
