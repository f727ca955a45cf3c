const { createReceiver } = require('@feed-receiver/core')
const { memoryInbox } = require('@feed-receiver/core/testing')
const { toExpress } = require('@feed-receiver/express')
const { deliver, fixture, testSecret } = require('@feed-receiver/sender/testing')
const express = require('express')

test('stores an event once that arrives three times', async () => {
  const inbox = memoryInbox()
  const app = express()
  app.post('/webhooks/feed', toExpress(createReceiver({ secrets: testSecret, inbox })))
  const { answers } = await deliver(fixture('outage_started')).to(app).times(3)
  expect(answers.map(({ status }) => status)).toEqual([202, 200, 200])
  expect(inbox.entries.size).toBe(1)
})
