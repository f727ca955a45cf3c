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

/** Fault: answers 400 to a body that is not JSON, as every framework does by itself. */
export const badJsonIs400: MakeReceiver = ({ secrets, store }) => {
  const app = express()
  app.post(path, rawBody, async (request, response) => {
    const refusal = refusalOf(request, secrets)
    if (refusal) return response.sendStatus(refusal)
    try {
      JSON.parse(bytesOf(request).toString())
    } catch {
      return response.sendStatus(400)
    }
    const event = readEvent(bytesOf(request))
    if (!event || isMislabelled(request, event)) return response.sendStatus(202)
    const isNew = await store.insertOnce(event.id)
    return response.sendStatus(isNew ? 202 : 200)
  })
  return createServer(app)
}
