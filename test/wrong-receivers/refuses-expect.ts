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

/** Fault: refuses to let a client ask before it sends its body. */
export const refusesExpect: MakeReceiver = ({ secrets, store }) => {
  const app = express()
  app.post(path, rawBody, async (request, response) => {
    const refusal = refusalOf(request, secrets)
    if (refusal) return response.sendStatus(refusal)
    const event = readEvent(bytesOf(request))
    if (!event || isMislabelled(request, event)) return response.sendStatus(202)
    const isNew = await store.insertOnce(event.id)
    return response.sendStatus(isNew ? 202 : 200)
  })
  const server = createServer(app)
  server.on('checkContinue', (_, response) => response.writeHead(417).end())
  return server
}
