import { createServer } from 'node:http'
import express from 'express'
import {
  bytesOf,
  isInTime,
  isMislabelled,
  path,
  rawBody,
  readEvent,
  refusalOf,
  sign,
  type MakeReceiver,
} from './right-steps.ts'

/** Fault: compares only as many digits as the header has, so that a forger need guess but one. */
export const prefixCompare: MakeReceiver = ({ secrets, store }) => {
  const app = express()
  app.post(path, rawBody, async (request, response) => {
    const [, time, v1] =
      /^t=(\d+),v1=([0-9a-f]+)(?!\w)/.exec(request.get('feed-signature') ?? '') ?? []
    if (time === undefined || v1 === undefined) return response.sendStatus(401)
    const isRight = secrets.some((each) => sign(each, time, bytesOf(request)).startsWith(v1))
    if (!isRight) return response.sendStatus(refusalOf(request, secrets) ?? 401)
    if (!isInTime({ time, signatures: [v1] })) return response.sendStatus(503)
    const event = readEvent(bytesOf(request))
    if (!event || isMislabelled(request, event)) return response.sendStatus(202)
    const isNew = await store.insertOnce(event.id)
    return response.sendStatus(isNew ? 202 : 200)
  })
  return createServer(app)
}
