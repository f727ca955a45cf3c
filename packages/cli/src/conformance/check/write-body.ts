import { once } from 'node:events'
import type { ClientRequest } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

/** How a body is sent, if not in one piece. */
export interface BodyPacing {
  /** In chunks of this many bytes, without a Content-Length. */
  chunkBytes?: number
  /** In ten pieces spread over this time. */
  dripMs?: number
  /** Only after a 100 Continue, or after three seconds without one. */
  awaitsContinue?: boolean
  /** Its last byte only once this resolves. */
  startingLine?: () => Promise<void>
}

/** Lets this many requests wait for each other, so that their last bytes arrive concurrently. */
export function createStartingLine(count: number): () => Promise<void> {
  let missing = count
  let start: (() => void) | undefined
  const started = new Promise<void>((resolve) => {
    start = resolve
  })
  return () => {
    // A request that gets no connection never arrives.
    if (missing === count) setTimeout(() => start?.(), 2_000).unref()
    missing -= 1
    // By then the receiver has read all heads, so that all requests are open concurrently.
    if (missing === 0) setTimeout(() => start?.(), 50)
    return started
  }
}

/** Writes the body of a request and ends it. The request itself reports failures. */
export async function writeBody(
  request: ClientRequest,
  body: Uint8Array,
  { chunkBytes, dripMs = 0, awaitsContinue = false, startingLine }: BodyPacing,
): Promise<void> {
  if (startingLine) {
    request.write(body.subarray(0, -1))
    await untilConnected(request)
    await startingLine()
    request.end(body.subarray(-1))
    return
  }
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

async function untilContinue(request: ClientRequest): Promise<void> {
  request.flushHeaders()
  const signal = AbortSignal.timeout(3_000)
  const events = ['continue', 'response', 'close']
  await Promise.race(events.map((event) => once(request, event, { signal }))).catch(() => {})
}

function untilConnected(request: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    request.once('close', resolve)
    request.once('socket', (socket) => {
      if (socket.connecting) socket.once('connect', resolve)
      else resolve()
    })
  })
}
