import { createServer } from 'node:http'
import express from 'express'
import { path, rawBody, refusalOf, type MakeReceiver } from './right-steps.ts'

/** Fault: takes the id from a header that nobody has signed. */
export const headerIsKey: MakeReceiver = ({ secrets, store }) => {
  const app = express()
  app.post(path, rawBody, async (request, response) => {
    const refusal = refusalOf(request, secrets)
    if (refusal) return response.sendStatus(refusal)
    const id = request.get('feed-event-id')
    if (id === undefined) return response.sendStatus(400)
    const isNew = await store.insertOnce(id)
    return response.sendStatus(isNew ? 202 : 200)
  })
  return createServer(app)
}
