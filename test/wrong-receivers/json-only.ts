import { createServer } from 'node:http'
import express from 'express'
import {
  bytesOf,
  isMislabelled,
  path,
  rawBody,
  readEvent,
  refusalOf,
  type MakeReceiver,
} from './right-steps.ts'

/** Fault: answers 415 to every Content-Type but the usual one. */
export const jsonOnly: MakeReceiver = ({ secrets, store }) => {
  const app = express()
  app.post(path, rawBody, async (request, response) => {
    if (request.get('content-type') !== 'application/json') return response.sendStatus(415)
    const refusal = refusalOf(request, secrets)
    if (refusal) return response.sendStatus(refusal)
    const event = readEvent(bytesOf(request))
    if (!event || isMislabelled(request, event)) return response.sendStatus(202)
    const isNew = await store.insertOnce(event.id)
    return response.sendStatus(isNew ? 202 : 200)
  })
  return createServer(app)
}
