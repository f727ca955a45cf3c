import { createServer } from 'node:http'
import express from 'express'
import {
  isInTime,
  isMislabelled,
  isSigned,
  path,
  readEvent,
  readSignature,
  type MakeReceiver,
} from './right-steps.ts'

/** Fault: verifies the JSON that a parser has read and written anew, not the bytes that came. */
export const rewrittenJson: MakeReceiver = ({ secrets, store }) => {
  const app = express()
  app.post(path, express.json({ type: () => true, limit: '2mb' }), async (request, response) => {
    const body = Buffer.from(JSON.stringify(request.body ?? ''))
    const signature = readSignature(request.get('feed-signature'))
    if (!signature || !isSigned(signature, body, secrets)) return response.sendStatus(401)
    if (!isInTime(signature)) return response.sendStatus(503)
    const event = readEvent(body)
    if (!event || isMislabelled(request, event)) return response.sendStatus(202)
    const isNew = await store.insertOnce(event.id)
    return response.sendStatus(isNew ? 202 : 200)
  })
  return createServer(app)
}
