import type { ClientRequest } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

/** How a body is sent, where not in one piece. */
export interface Manner {
  /** In chunks of this many bytes, without a Content-Length. */
  chunkBytes?: number
  /** In ten pieces spread over this time. */
  dripMs?: number
  /** Only after a 100 Continue, or after three seconds without one. */
  awaitsContinue?: boolean
}

/** Writes the body of a request and ends it; what fails is told by the request itself. */
export async function writeBody(
  request: ClientRequest,
  body: Uint8Array,
  { chunkBytes, dripMs = 0, awaitsContinue = false }: Manner,
): Promise<void> {
  if (awaitsContinue) await untilContinue(request)
  const pieceBytes = chunkBytes ?? (dripMs > 0 ? Math.ceil(body.length / dripPieces) : body.length)
  for (let at = 0; at < body.length; at += pieceBytes) {
    if (at > 0 && dripMs > 0) await delay(dripMs / (dripPieces - 1))
    if (request.destroyed) return
    request.write(body.subarray(at, at + pieceBytes))
  }
  request.end()
}

const dripPieces = 10
const continueLimitMs = 3_000

function untilContinue(request: ClientRequest): Promise<void> {
  request.flushHeaders()
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, continueLimitMs)
    const go = () => {
      clearTimeout(timer)
      resolve()
    }
    for (const event of ['continue', 'response', 'close']) request.once(event, go)
  })
}
