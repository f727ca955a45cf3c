import { createReceiver, type DeliveryInbox } from '@feed-receiver/core'
import { memoryInbox } from '@feed-receiver/core/testing'
import { toExpress } from '@feed-receiver/express'
import { createInbox, Permanent } from '@feed-receiver/inbox'
import { untilIdle } from '@feed-receiver/inbox/testing'
import { deliver, fixture, testSecret } from '@feed-receiver/sender/testing'
import express from 'express'

function createApp(inbox: DeliveryInbox) {
  const app = express()
  app.post('/webhooks/feed', toExpress(createReceiver({ secrets: testSecret, inbox })))
  return app
}

test('stores an event once that arrives three times', async () => {
  const inbox = memoryInbox()
  const { answers } = await deliver(fixture('outage_started')).to(createApp(inbox)).times(3)
  expect(answers.map(({ status }) => status)).toEqual([202, 200, 200])
  expect(inbox.entries.size).toBe(1)
})

test('handles events in the embedded database', async () => {
  const inbox = createInbox()
  await inbox.start()
  await inbox.work({
    outage_started: () => {},
    model_release: () => {
      throw new Permanent('no such model')
    },
  })
  for (const type of ['outage_started', 'model_release'] as const) {
    await deliver(fixture(type)).to(createApp(inbox))
  }
  await untilIdle(inbox)
  expect(await inbox.entries.count({ state: 'done' })).toMatchObject({ count: 1 })
  expect(await inbox.entries.count({ state: 'dead' })).toMatchObject({ count: 1 })
  await inbox.stop()
}, 60_000)
