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

/** Fault, and only a lax one: answers a late delivery like a forged one, which pauses the feed. */
export const lateIs401: MakeReceiver = ({ secrets, store }) => {
  const app = express()
  app.post(path, rawBody, async (request, response) => {
    const signature = readSignature(request.get('feed-signature'))
    if (!signature || !isInTime(signature)) return response.sendStatus(401)
    if (!isSigned(signature, bytesOf(request), secrets)) return response.sendStatus(401)
    const event = readEvent(bytesOf(request))
    if (!event || isMislabelled(request, event)) return response.sendStatus(202)
    const isNew = await store.insertOnce(event.id)
    return response.sendStatus(isNew ? 202 : 200)
  })
  return createServer(app)
}
