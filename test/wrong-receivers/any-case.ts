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

/** Fault: takes the digits of a signature in upper case as well. */
export const anyCase: MakeReceiver = ({ secrets, store }) => {
  const app = express()
  app.post(path, rawBody, async (request, response) => {
    const signature = readSignature(request.get('feed-signature'))
    const lower = readSignature(request.get('feed-signature')?.toLowerCase())
    const either = signature ?? lower
    if (!either || !isSigned(either, bytesOf(request), secrets)) return response.sendStatus(401)
    if (!isInTime(either)) return response.sendStatus(503)
    const event = readEvent(bytesOf(request))
    if (!event || isMislabelled(request, event)) return response.sendStatus(202)
    const isNew = await store.insertOnce(event.id)
    return response.sendStatus(isNew ? 202 : 200)
  })
  return createServer(app)
}
