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

/** Fault: remembers in memory what it has stored; a deployment lets every retry in again. */
export const forgetsOnRestart: MakeReceiver = ({ secrets, store }) => {
  const known = new Set<string>()
  const app = express()
  app.post(path, rawBody, async (request, response) => {
    const refusal = refusalOf(request, secrets)
    if (refusal) return response.sendStatus(refusal)
    const event = readEvent(bytesOf(request))
    if (!event || isMislabelled(request, event)) return response.sendStatus(202)
    if (known.has(event.id)) return response.sendStatus(200)
    known.add(event.id)
    await store.insert(event.id)
    return response.sendStatus(202)
  })
  return createServer(app)
}
