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

/** Fault: looks for old signatures only, as several libraries do; one may be made for next year. */
export const pastOnly: MakeReceiver = ({ secrets, store }) => {
  const app = express()
  app.post(path, rawBody, async (request, response) => {
    const signature = readSignature(request.get('feed-signature'))
    if (!signature || !isSigned(signature, bytesOf(request), secrets))
      return response.sendStatus(401)
    if (Date.now() / 1_000 - Number(signature.time) > 300) return response.sendStatus(503)
    const event = readEvent(bytesOf(request))
    if (!event || isMislabelled(request, event)) return response.sendStatus(202)
    const isNew = await store.insertOnce(event.id)
    return response.sendStatus(isNew ? 202 : 200)
  })
  return createServer(app)
}
