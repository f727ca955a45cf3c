import { createServer } from 'node:http'
import express from 'express'
import { Pool } from 'pg'
import { bytesOf, isMislabelled, path, rawBody, readEvent, refusalOf } from './right-steps.ts'
import type { ReceiverOptions } from './right-steps.ts'

/** Fault: stores the event as jsonb, and blames the sender for what the database refuses. */
export function jsonbIs400({ secrets }: ReceiverOptions, url: string) {
  const pool = new Pool({ connectionString: url })
  const app = express()
  app.post(path, rawBody, async (request, response) => {
    const refusal = refusalOf(request, secrets)
    if (refusal) return response.sendStatus(refusal)
    const event = readEvent(bytesOf(request))
    if (event && isMislabelled(request, event)) return response.sendStatus(202)
    try {
      const text = bytesOf(request).toString()
      const id = event?.id ?? JSON.parse(text).id
      const insert = 'insert into jsonb_event values ($1, $2) on conflict do nothing'
      await pool.query(insert, [id, text])
      return response.sendStatus(202)
    } catch {
      return response.sendStatus(400)
    }
  })
  return createServer(app).on('close', () => void pool.end())
}
