import { createReceiver, type DeliveryInbox } from '@feed-receiver/core'
import { toExpress } from '@feed-receiver/express'
import express from 'express'

/** The app under test. A test passes its own inbox and secrets. */
export function createApp(inbox: DeliveryInbox, secrets: string[]) {
  const app = express()
  app.post('/webhooks/feed', toExpress(createReceiver({ secrets, inbox })))
  return app
}
