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

/** Fault: reads the body as latin1, in which only ASCII stays what it was. */
export const decodesAsLatin1: MakeReceiver = ({ secrets, store }) => {
  const app = express()
  app.post(path, rawBody, async (request, response) => {
    const body = Buffer.from(bytesOf(request).toString('latin1'))
    const signature = readSignature(request.get('feed-signature'))
    if (!signature || !isSigned(signature, body, secrets)) return response.sendStatus(401)
    if (!isInTime(signature)) return response.sendStatus(503)
    const event = readEvent(bytesOf(request))
    if (!event || isMislabelled(request, event)) return response.sendStatus(202)
    const isNew = await store.insertOnce(event.id)
    return response.sendStatus(isNew ? 202 : 200)
  })
  return createServer(app)
}
