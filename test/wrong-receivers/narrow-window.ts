import { createServer } from 'node:http'
import express from 'express'
import {
  bytesOf,
  isInTime,
  isMislabelled,
  isSigned,
  path,
  rawBody,
  readEvent,
  readSignature,
  type MakeReceiver,
} from './right-steps.ts'

/** Fault: allows a minute where the interface has five, so that a slow clock stops the feed. */
export const narrowWindow: MakeReceiver = ({ secrets, store }) => {
  const app = express()
  app.post(path, rawBody, async (request, response) => {
    const signature = readSignature(request.get('feed-signature'))
    if (!signature || !isSigned(signature, bytesOf(request), secrets))
      return response.sendStatus(401)
    if (!isInTime(signature, 60)) return response.sendStatus(503)
    const event = readEvent(bytesOf(request))
    if (!event || isMislabelled(request, event)) return response.sendStatus(202)
    const isNew = await store.insertOnce(event.id)
    return response.sendStatus(isNew ? 202 : 200)
  })
  return createServer(app)
}
