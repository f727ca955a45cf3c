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

/** Fault: gives the body one second. */
export const impatient: MakeReceiver = ({ secrets, store }) => {
  const app = express()
  app.use((request, response, next) => {
    const timer = setTimeout(() => response.sendStatus(408), 1_000)
    request.once('end', () => clearTimeout(timer))
    next()
  })
  app.post(path, rawBody, async (request, response) => {
    if (response.headersSent) return undefined
    const refusal = refusalOf(request, secrets)
    if (refusal) return response.sendStatus(refusal)
    const event = readEvent(bytesOf(request))
    if (!event || isMislabelled(request, event)) return response.sendStatus(202)
    const isNew = await store.insertOnce(event.id)
    return response.sendStatus(isNew ? 202 : 200)
  })
  return createServer(app)
}
