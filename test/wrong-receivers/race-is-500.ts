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

/** Fault: looks first and inserts then; of two at once, one meets the constraint, a 500. */
export const raceIs500: MakeReceiver = ({ secrets, store }) => {
  const app = express()
  app.post(path, rawBody, async (request, response) => {
    const refusal = refusalOf(request, secrets)
    if (refusal) return response.sendStatus(refusal)
    const event = readEvent(bytesOf(request))
    if (!event || isMislabelled(request, event)) return response.sendStatus(202)
    if (await store.has(event.id)) return response.sendStatus(200)
    const isNew = await store.insertOnce(event.id)
    return response.sendStatus(isNew ? 202 : 500)
  })
  return createServer(app)
}
