import type { IncomingMessage } from 'node:http'
import type { Body } from './read-body.ts'
import type { ReceiverRequest } from './receiver.ts'

/**
 * Takes a delivery from a Node request. A body that something has read already is only taken from
 * where its exact bytes were kept: a Buffer in `request.rawBody` (see `keepRawBody`) or, as
 * `express.raw()` leaves it, in `request.body`. A parsed body is never turned back into bytes.
 */
export function fromNode(request: IncomingMessage): ReceiverRequest {
  return { method: request.method, headers: request.headers, body: findBody(request) }
}

function findBody(request: IncomingMessage): Body {
  // Reflected on, since every parser gives these members a type of its own.
  const rawBody: unknown = Reflect.get(request, 'rawBody')
  const body: unknown = Reflect.get(request, 'body')
  if (Buffer.isBuffer(rawBody)) return rawBody
  if (isUntouched(request)) return request
  if (Buffer.isBuffer(body)) return body
  return 'already_read'
}

// Someone who sets an encoding gets text, and text is not the bytes that were signed.
function isUntouched(request: IncomingMessage): boolean {
  return !request.readableDidRead && !request.readableEnded && request.readableEncoding === null
}
