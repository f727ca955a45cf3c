import type { FeedReceiverError } from './errors.ts'
import { onCheck, onReached, type Deadline } from './limits/deadline.ts'
import {
  bytesOf,
  isIterable,
  isLocked,
  isNodeStream,
  notRaw,
  toBytes,
  type NodeStream,
} from './raw-body.ts'
import type { Rejected } from './reasons.ts'
import type { Body } from './request.ts'
import type { Throttle } from './limits/throttle.ts'
import type { Upload, Uploads } from './limits/uploads.ts'

/** Why a body could not be read completely. */
export type BodyProblem = Extract<
  Rejected,
  | 'body_too_large'
  | 'body_already_read'
  | 'body_incomplete'
  | 'body_timeout'
  | 'body_evicted'
  | 'client_gone'
>

export interface ReadBodyOptions {
  maxBodyBytes: number
  /** The value of Content-Length, or 0. */
  contentLength: number
  deadline: Deadline
  uploads: Uploads
  /** Bodies that are read on only so that their sender sees the answer. */
  discards: Uploads
  throttle: Throttle
}

/** How much of a body is read on and discarded. */
const maxDiscardedBytes = 16 * 1_048_576

/** Tagged, because the sender controls the body: its content must not pass for a problem. */
type Outcome = { bytes: Uint8Array } | { problem: BodyProblem; error?: FeedReceiverError }

/** Reads a whole body, within the limits. Never throws, and never destroys or cancels the body. */
export function readBody(body: Body, options: ReadBodyOptions): Promise<Outcome> | Outcome {
  if (body === 'already_read') return { problem: 'body_already_read' }
  const bytes = toBytes(body)
  if (bytes) return checkLength(bytes, options)
  if (isNodeStream(body)) {
    // After a part of it, too: the rest would get 401, which pauses the feed.
    if (body.readableEnded || body.readableDidRead) return { problem: 'body_already_read' }
    if (body.destroyed) return { problem: 'client_gone' }
    return gather(options, (reading) => listen(body, reading))
  }
  if (isLocked(body)) return { problem: 'body_already_read' }
  if (isIterable(body)) return gather(options, (reading) => void iterate(body, reading))
  return { problem: 'body_already_read', error: notRaw(body) }
}

/**
 * Reads a body of a rejected request. TCP resets a connection that is closed with unread bytes, and
 * a sender that is still sending then sees no answer. It waits a quarter of the deadline at most.
 */
export async function discardBody(body: Body, options: ReadBodyOptions): Promise<void> {
  await readBody(body, { ...options, maxBodyBytes: 0 })
}

function checkLength(bytes: Uint8Array, { maxBodyBytes, contentLength }: ReadBodyOptions): Outcome {
  if (bytes.length > maxBodyBytes || contentLength > maxBodyBytes)
    return { problem: 'body_too_large' }
  // A proxy that truncates a body leaves its Content-Length unchanged.
  return bytes.length < contentLength ? { problem: 'body_incomplete' } : { bytes }
}

interface Reading extends Upload {
  chunks: Uint8Array[]
  isOver: boolean
  /** Set once the body is too large, and read on only to discard it. */
  discarding: ReturnType<typeof setTimeout> | undefined
  options: ReadBodyOptions
  finish: (outcome: Outcome) => void
  giveUp: (problem?: BodyProblem) => void
}

/** Collects chunks until the body is complete or exceeds a limit. */
function gather(
  options: ReadBodyOptions,
  read: (reading: Reading) => void,
): Promise<Outcome> | Outcome {
  const { deadline, uploads, discards, contentLength, maxBodyBytes } = options
  if (contentLength > maxBodyBytes + maxDiscardedBytes) return { problem: 'body_too_large' }
  return new Promise((resolve) => {
    const reading: Reading = {
      before: undefined,
      after: undefined,
      startedAt: deadline.startedAt,
      receivedBytes: 0,
      chunks: [],
      isOver: false,
      discarding: undefined,
      options,
      finish,
      giveUp: (problem = 'body_timeout') => finish({ problem }),
    }
    if (maxBodyBytes === 0 || contentLength > maxBodyBytes) discard(reading)
    else uploads.start(reading)
    onReached(deadline, reading.giveUp)
    onCheck(deadline, () => uploads.checkPace(reading))
    read(reading)

    function finish(outcome: Outcome): void {
      if (reading.isOver) return
      reading.isOver = true
      deadline.check = undefined
      const held = reading.discarding ? discards : uploads
      held.end(reading)
      clearTimeout(reading.discarding)
      resolve(reading.discarding ? { problem: 'body_too_large' } : outcome)
    }
  })
}

/** Reads and discards the rest, without using the slot of another body. */
function discard(reading: Reading): void {
  const { uploads, discards, deadline } = reading.options
  uploads.end(reading)
  reading.chunks = []
  reading.discarding = setTimeout(reading.giveUp, deadline.ms / 4)
  discards.start(reading)
}

/** Adds a chunk. Returns how many milliseconds to wait before reading on. */
function add(reading: Reading, chunk: unknown): number {
  const { maxBodyBytes, throttle } = reading.options
  // Text is not the raw body: something has decoded the stream.
  if (!ArrayBuffer.isView(chunk)) return (reading.giveUp('body_already_read'), 0)
  const bytes = bytesOf(chunk)
  reading.receivedBytes += bytes.length
  if (reading.receivedBytes > maxBodyBytes && !reading.discarding) discard(reading)
  if (reading.receivedBytes > maxBodyBytes + maxDiscardedBytes) return (reading.giveUp(), 0)
  if (!reading.discarding) reading.chunks.push(bytes)
  return throttle(bytes.length, reading.receivedBytes)
}

function complete({ discarding, giveUp, finish, chunks, receivedBytes, options }: Reading): void {
  if (discarding) giveUp()
  else finish(checkLength(join(chunks, receivedBytes), options))
}

// By events: iterating a Node stream costs a tenth of the throughput, and leaving the loop early
// would destroy the socket that the answer needs.
function listen(stream: NodeStream, reading: Reading): void {
  const gone = () => reading.giveUp('client_gone')
  const readOn = () => {
    if (!reading.isOver) stream.resume()
  }
  stream.on('data', (chunk: unknown) => {
    const waitMs = reading.isOver ? 0 : add(reading, chunk)
    if (waitMs >= 1 || reading.isOver) stream.pause()
    if (waitMs >= 1) setTimeout(readOn, waitMs)
  })
  stream.on('end', () => complete(reading))
  stream.on('close', gone)
  // Nobody handles a late error, and it must not end the process.
  stream.on('error', gone)
  // Middleware may have paused it, to resume it once a handler listens.
  if (stream.isPaused()) stream.resume()
}

// It stops reading but never cancels: some servers keep writing into a cancelled body, and that
// error ends the process. The answer closes the connection instead.
async function iterate(body: AsyncIterable<unknown>, reading: Reading): Promise<void> {
  try {
    const iterator = body[Symbol.asyncIterator]()
    while (!reading.isOver) {
      const { done, value } = await iterator.next()
      if (done) complete(reading)
      const waitMs = done || reading.isOver ? 0 : add(reading, value)
      if (waitMs >= 1) await new Promise((resolve) => setTimeout(resolve, waitMs))
    }
  } catch {
    reading.giveUp('client_gone')
  }
}

function join(chunks: Uint8Array[], size: number): Uint8Array {
  if (chunks.length === 1 && chunks[0]) return chunks[0]
  const joined = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    joined.set(chunk, at)
    at += chunk.length
  }
  return joined
}
