import { createServer } from 'node:http'
import express from 'express'
import {
  bytesOf,
  isInTime,
  isMislabelled,
  isSigned,
  path,
  rawBody,
  readEvent,
  type MakeReceiver,
} from './right-steps.ts'

/** Fault, and only a lax one: picks t and v1 out of the header wherever they are. */
export const looseForm: MakeReceiver = ({ secrets, store }) => {
  const app = express()
  app.post(path, rawBody, async (request, response) => {
    const header = request.get('feed-signature') ?? ''
    const t = Number.parseInt(header.slice(header.lastIndexOf('t=') + 2), 10)
    const v1 = [...header.matchAll(/v1=([0-9a-f]{64})(?![0-9a-z])/g)].map(([, hex = '']) => hex)
    const signature = { time: String(t), signatures: v1 }
    if (!isSigned(signature, bytesOf(request), secrets)) return response.sendStatus(401)
    if (!isInTime(signature)) return response.sendStatus(503)
    const event = readEvent(bytesOf(request))
    if (!event || isMislabelled(request, event)) return response.sendStatus(202)
    const isNew = await store.insertOnce(event.id)
    return response.sendStatus(isNew ? 202 : 200)
  })
  return createServer(app)
}
