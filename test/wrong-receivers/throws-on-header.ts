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

/** Fault: takes for granted that the header has its parts, and answers 500 where it has not. */
export const throwsOnHeader: MakeReceiver = ({ secrets, store }) => {
  const app = express()
  app.post(path, rawBody, async (request, response) => {
    const [t, v1] = (request.get('feed-signature') as string)
      .split(',')
      .map((part) => part.split('=')[1])
    if (!/^\d+$/.test(t as string)) throw new Error('That is no time.')
    if ((v1 as string).length < 1) return response.sendStatus(401)
    const refusal = refusalOf(request, secrets)
    if (refusal) return response.sendStatus(refusal)
    const event = readEvent(bytesOf(request))
    if (!event || isMislabelled(request, event)) return response.sendStatus(202)
    const isNew = await store.insertOnce(event.id)
    return response.sendStatus(isNew ? 202 : 200)
  })
  return createServer(app)
}
