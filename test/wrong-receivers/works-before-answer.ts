import { setTimeout as delay } from 'node:timers/promises'
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

/** Fault: does its work before it answers; only a test delivery is quick. */
export const worksBeforeAnswer: MakeReceiver = ({ secrets, store }) => {
  const app = express()
  app.post(path, rawBody, async (request, response) => {
    const refusal = refusalOf(request, secrets)
    if (refusal) return response.sendStatus(refusal)
    const event = readEvent(bytesOf(request))
    if (!event || isMislabelled(request, event)) return response.sendStatus(202)
    const isNew = await store.insertOnce(event.id)
    if (event.type === 'release_note') await delay(10_300)
    return response.sendStatus(isNew ? 202 : 200)
  })
  return createServer(app)
}
