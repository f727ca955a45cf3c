import { createServer } from 'node:http'
import express from 'express'
import {
  bytesOf,
  isMislabelled,
  path,
  rawBody,
  readEvent,
  type MakeReceiver,
} from './right-steps.ts'

/** Fault: verifies nothing. */
export const acceptsEverything: MakeReceiver = ({ store }) => {
  const app = express()
  app.post(path, rawBody, async (request, response) => {
    const event = readEvent(bytesOf(request))
    if (!event || isMislabelled(request, event)) return response.sendStatus(202)
    const isNew = await store.insertOnce(event.id)
    return response.sendStatus(isNew ? 202 : 200)
  })
  return createServer(app)
}
