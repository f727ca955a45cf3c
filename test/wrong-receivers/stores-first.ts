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

/** Fault: stores what comes and verifies it then. */
export const storesFirst: MakeReceiver = ({ secrets, store }) => {
  const app = express()
  app.post(path, rawBody, async (request, response) => {
    const event = readEvent(bytesOf(request))
    const isMine = event && !isMislabelled(request, event)
    if (isMine) await store.insertOnce(event.id)
    return response.sendStatus(refusalOf(request, secrets) ?? 202)
  })
  return createServer(app)
}
