import type { Socket } from 'node:net'
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

/** Fault: turns away all that comes on a connection on which something forged has come. */
export const bansConnections: MakeReceiver = ({ secrets, store }) => {
  const banned = new WeakSet<Socket>()
  const app = express()
  app.post(path, rawBody, async (request, response) => {
    const refusal = refusalOf(request, secrets)
    if (refusal === 401) banned.add(request.socket)
    if (banned.has(request.socket)) return response.sendStatus(403)
    if (refusal) return response.sendStatus(refusal)
    const event = readEvent(bytesOf(request))
    if (!event || isMislabelled(request, event)) return response.sendStatus(202)
    const isNew = await store.insertOnce(event.id)
    return response.sendStatus(isNew ? 202 : 200)
  })
  return createServer(app)
}
