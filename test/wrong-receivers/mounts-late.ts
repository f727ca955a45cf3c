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

let hasStarted = false

/** Fault: mounts its route five seconds after the server listens, and answers 404 until then. */
export const mountsLate: MakeReceiver = ({ secrets, store }) => {
  const startedAt = Date.now()
  const isFirst = !hasStarted
  hasStarted = true
  const app = express()
  app.post(path, rawBody, async (request, response) => {
    if (!isFirst && Date.now() - startedAt < 5_000) return response.sendStatus(404)
    const refusal = refusalOf(request, secrets)
    if (refusal) return response.sendStatus(refusal)
    const event = readEvent(bytesOf(request))
    if (!event || isMislabelled(request, event)) return response.sendStatus(202)
    const isNew = await store.insertOnce(event.id)
    return response.sendStatus(isNew ? 202 : 200)
  })
  return createServer(app)
}
