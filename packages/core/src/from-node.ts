import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import type { Body, ReceiverRequest } from './request.ts'

/** A Node request, with the body that a parser may have left in it. */
type NodeRequest = (IncomingMessage | Http2ServerRequest) & { rawBody?: unknown; body?: unknown }

/**
 * Makes a receiver request from a Node request. If a parser has already read the body, the raw body
 * must be a Buffer: in `request.rawBody` (see `keepRawBody`), or in `request.body`, where
 * `express.raw()` puts it. A parsed body is never serialized again.
 */
export function fromNode(request: NodeRequest): ReceiverRequest {
  return { method: request.method, headers: request.headers, body: findBody(request) }
}

function findBody(request: NodeRequest): Body {
  if (Buffer.isBuffer(request.rawBody)) return request.rawBody
  if (isUntouched(request)) return request
  return Buffer.isBuffer(request.body) ? request.body : 'already_read'
}

// With an encoding set, the stream gives text, and text is not the raw body.
function isUntouched(request: NodeRequest): boolean {
  return !request.readableDidRead && !request.readableEnded && request.readableEncoding === null
}

/**
 * A `verify` function for `express.json()` and the other Express body parsers. It stores the raw
 * body in `request.rawBody`, so that a receiver mounted after the parser can verify it.
 */
export function keepRawBody(request: IncomingMessage, _response: unknown, bytes: Buffer): void {
  Object.assign(request, { rawBody: bytes })
}
