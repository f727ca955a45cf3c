import { createServer } from 'node:http'
import express from 'express'
import {
  bytesOf,
  isMislabelled,
  isSigned,
  path,
  rawBody,
  readEvent,
  readSignature,
  type MakeReceiver,
} from './right-steps.ts'

/** Fault: never looks at the time of a signature, so that a captured delivery is good for ever. */
export const noClock: MakeReceiver = ({ secrets, store }) => {
  const app = express()
  app.post(path, rawBody, async (request, response) => {
    const signature = readSignature(request.get('feed-signature'))
    if (!signature || !isSigned(signature, bytesOf(request), secrets))
      return response.sendStatus(401)
    const event = readEvent(bytesOf(request))
    if (!event || isMislabelled(request, event)) return response.sendStatus(202)
    const isNew = await store.insertOnce(event.id)
    return response.sendStatus(isNew ? 202 : 200)
  })
  return createServer(app)
}
