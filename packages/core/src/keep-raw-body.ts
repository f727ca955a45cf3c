import type { IncomingMessage } from 'node:http'

/**
 * The `verify` of `express.json()` and its siblings that keeps the exact bytes beside the parsed
 * body, so that a receiver behind the parser can still verify them.
 */
export function keepRawBody(request: IncomingMessage, _response: unknown, bytes: Buffer): void {
  Object.assign(request, { rawBody: bytes })
}
