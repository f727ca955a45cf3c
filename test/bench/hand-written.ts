/**
 * The code that a careful user would write by hand: the minimum that is safe, and the same
 * response.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

const maxBytes = 1_048_576
const toleranceSeconds = 300
const form = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/

export interface Answer {
  status: number
  body: string
  /** Set if the delivery must be stored. */
  event?: { id: string; type: string }
}

/** Verifies the raw body, then the timestamp, then parses the JSON. */
export function verifyByHand(
  secret: string,
  headers: IncomingHttpHeaders | { 'feed-signature'?: string | undefined },
  body: Buffer,
): Answer {
  const [, timestamp, signature] = form.exec(String(headers['feed-signature'])) ?? []
  if (!timestamp || !signature) return refuse(401)
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest()
  if (!timingSafeEqual(Buffer.from(signature, 'hex'), expected)) return refuse(401)
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > toleranceSeconds) return refuse(503)
  const event = JSON.parse(body.toString()) as { id: string; type: string }
  return { status: 202, body: JSON.stringify({ status: 'stored', id: event.id }), event }
}

/** Reads a Node request through its events, up to the limit. */
export function readByHand(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) reject(new Error('too large'))
      else chunks.push(chunk)
    })
    request.on('end', () => resolve(Buffer.concat(chunks)))
    request.on('error', reject)
  })
}

export const jsonHeaders = { 'content-type': 'application/json; charset=utf-8' }

function refuse(status: number): Answer {
  return { status, body: '{"error":"refused"}' }
}
