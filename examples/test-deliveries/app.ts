import { createReceiver, type DeliveryInbox } from '@feed-receiver/core'
import { toExpress } from '@feed-receiver/express'
import express from 'express'

/** The app under test; it gets what differs between a test and the real thing. */
export function createApp(inbox: DeliveryInbox, secrets: string[]) {
  const app = express()
  app.post('/webhooks/feed', toExpress(createReceiver({ secrets, inbox })))
  return app
}
