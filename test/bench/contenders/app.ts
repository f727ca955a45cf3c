import express, { type Express } from 'express'
import { jsonHeaders, readByHand, verifyByHand } from './hand-written.ts'
import type { Contender } from './contender.ts'

export interface ContenderAppOptions {
  keep: Contender['keep']
  secrets: () => readonly string[]
  /** Milliseconds since 1970. */
  now?: () => number
  observe?: (answer: { status: number; error?: unknown }) => void
}

/** The route of every contender on Express, which answers like the one of this kit. */
export function contenderApp({
  keep,
  secrets,
  now = Date.now,
  observe = () => {},
}: ContenderAppOptions): Express {
  return express().post('/webhooks/feed', async (request, response) => {
    const { status, body, error } = await receive(request)
    observe({ status, error })
    const length = Buffer.byteLength(body)
    response.writeHead(status, { ...jsonHeaders, 'content-length': length }).end(body)
  })

  async function receive(request: express.Request) {
    try {
      const bytes = await readByHand(request)
      const answers = secrets().map((secret) => verifyByHand(secret, request.headers, bytes, now()))
      const answer = answers.find(({ status }) => status !== 401) ?? answers[0]
      if (!answer) throw new Error('There is no secret.')
      if (answer.event) await keep(answer.event, bytes)
      return { status: answer.status, body: answer.body, error: undefined }
    } catch (error) {
      return { status: 503, body: '{"error":"unavailable"}', error }
    }
  }
}
