import type { IncomingMessage } from 'node:http'
import type { Body, ReceiverRequest } from './request.ts'

/** A Node request with what parsers, each in a way of its own, may have left in it. */
type NodeRequest = IncomingMessage & { rawBody?: unknown; body?: unknown }

/**
 * Takes a delivery from a Node request. A body that something has read already is only taken from
 * where its exact bytes were kept: a Buffer in `request.rawBody` (see `keepRawBody`) or, as
 * `express.raw()` leaves it, in `request.body`. A parsed body is never turned back into bytes.
 */
export function fromNode(request: NodeRequest): ReceiverRequest {
  return { method: request.method, headers: request.headers, body: findBody(request) }
}

function findBody(request: NodeRequest): Body {
  if (Buffer.isBuffer(request.rawBody)) return request.rawBody
  if (isUntouched(request)) return request
  return Buffer.isBuffer(request.body) ? request.body : 'already_read'
}

// Someone who sets an encoding gets text, and text is not the bytes that were signed.
function isUntouched(request: IncomingMessage): boolean {
  return !request.readableDidRead && !request.readableEnded && request.readableEncoding === null
}

/**
 * The `verify` of `express.json()` and its siblings that keeps the exact bytes beside the parsed
 * body, so that a receiver behind the parser can still verify them.
 */
export function keepRawBody(request: IncomingMessage, _response: unknown, bytes: Buffer): void {
  Object.assign(request, { rawBody: bytes })
}
