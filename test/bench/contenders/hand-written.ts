/**
 * The code that a careful user would write by hand: the minimum that is safe, and the same
 * response.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

const maxBytes = 1_048_576
const toleranceSeconds = 300

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
  now = Date.now(),
): Answer {
  const { timestamp, signatures } = readHeader(String(headers['feed-signature']))
  if (timestamp === undefined) return rejectWith(401)
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest()
  const isSigned = signatures.some((signature) => timingSafeEqual(signature, expected))
  if (!isSigned) return rejectWith(401)
  if (Math.abs(now / 1_000 - Number(timestamp)) > toleranceSeconds) return rejectWith(503)
  const event = JSON.parse(body.toString()) as { id: string; type: string }
  return { status: 202, body: JSON.stringify({ status: 'stored', id: event.id }), event }
}

/** The timestamp, and each signature of 64 hex digits. Other fields are left to other schemes. */
function readHeader(header: string): { timestamp?: string; signatures: Buffer[] } {
  const fields = header.split(',').map((field) => field.trim().split('='))
  const valuesOf = (wanted: string) =>
    fields.flatMap(([name, value]) => (name === wanted && value !== undefined ? [value] : []))
  const [timestamp = '', ...others] = new Set(valuesOf('t'))
  const hex = valuesOf('v1').filter((value) => /^[0-9a-f]{64}$/.test(value))
  const signatures = hex.map((value) => Buffer.from(value, 'hex'))
  const isValid = /^\d{1,12}$/.test(timestamp) && others.length === 0
  return isValid ? { timestamp, signatures } : { signatures: [] }
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

function rejectWith(status: number): Answer {
  return { status, body: '{"error":"rejected"}' }
}
