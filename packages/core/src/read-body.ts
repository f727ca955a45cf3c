import { FeedReceiverError } from './errors.ts'
import { onReached, type Deadline } from './limits/deadline.ts'
import type { Refused } from './reasons.ts'
import type { Body } from './request.ts'
import type { Upload, Uploads } from './limits/uploads.ts'

/** Why a body could not be read completely. */
export type BodyProblem = Extract<
  Refused,
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
}

/** Tagged, because the sender controls the body: its content must not pass for a problem. */
type Outcome = { bytes: Uint8Array } | { problem: BodyProblem; error?: FeedReceiverError }

/** Reads a whole body, within the limits. Never throws, and never destroys or cancels the body. */
export function readBody(body: Body, options: ReadBodyOptions): Promise<Outcome> | Outcome {
  if (body === 'already_read') return { problem: 'body_already_read' }
  if (options.contentLength > options.maxBodyBytes) return { problem: 'body_too_large' }
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

function toBytes(body: unknown): Uint8Array | undefined {
  if (ArrayBuffer.isView(body)) return bytesOf(body)
  return isArrayBuffer(body) ? new Uint8Array(body) : undefined
}

function bytesOf(view: ArrayBufferView): Uint8Array {
  if (view instanceof Uint8Array) return view
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
}

/** Also of another realm, such as that of a test in Jest, where `instanceof` is false. */
function isArrayBuffer(body: unknown): body is ArrayBuffer {
  return Object.prototype.toString.call(body) === '[object ArrayBuffer]'
}

function isLocked(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'locked' in body && body.locked === true
}

function isIterable(body: unknown): body is AsyncIterable<unknown> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body
}

function notRaw(body: unknown): FeedReceiverError {
  const type = Object.prototype.toString.call(body).slice('[object '.length, -1)
  return new FeedReceiverError(
    'bad_body',
    `The body of the request is of the type ${type}. Pass the raw bytes as a Uint8Array or an ` +
      'ArrayBuffer, or pass the stream of the request.',
  )
}

function checkLength(bytes: Uint8Array, { maxBodyBytes, contentLength }: ReadBodyOptions): Outcome {
  if (bytes.length > maxBodyBytes) return { problem: 'body_too_large' }
  // A proxy that truncates a body leaves its Content-Length unchanged.
  return bytes.length < contentLength ? { problem: 'body_incomplete' } : { bytes }
}

/** A body that is being read. */
interface Reading extends Upload {
  chunks: Uint8Array[]
  isOver: boolean
  options: ReadBodyOptions
  finish: (outcome: Outcome) => void
  giveUp: (problem?: BodyProblem) => void
}

/** Collects chunks until the body is complete or exceeds a limit. */
function gather(options: ReadBodyOptions, read: (reading: Reading) => void): Promise<Outcome> {
  return new Promise((resolve) => {
    const { deadline, uploads } = options
    const reading: Reading = {
      before: undefined,
      after: undefined,
      startedAt: deadline.startedAt,
      receivedBytes: 0,
      chunks: [],
      isOver: false,
      options,
      finish,
      giveUp: (problem = 'body_timeout') => finish({ problem }),
    }
    uploads.start(reading)
    onReached(deadline, reading.giveUp)
    deadline.check = () => uploads.checkPace(reading)
    read(reading)

    function finish(outcome: Outcome): void {
      if (reading.isOver) return
      reading.isOver = true
      deadline.check = undefined
      uploads.end(reading)
      resolve(outcome)
    }
  })
}

/** The part of a Node stream that is used here; runtimes without Node have no such type. */
interface NodeStream {
  readonly readableEnded: boolean
  readonly readableDidRead?: boolean
  readonly destroyed: boolean
  isPaused(): boolean
  pause(): unknown
  resume(): unknown
  on(name: 'data' | 'end' | 'close' | 'error', listener: (chunk: unknown) => void): unknown
}

function isNodeStream(body: unknown): body is NodeStream {
  if (typeof body !== 'object' || body === null) return false
  return 'readableEnded' in body && 'on' in body && typeof body.on === 'function'
}

/** Adds a chunk. Returns how many milliseconds to wait before reading on. */
function add(reading: Reading, chunk: unknown): number {
  const { maxBodyBytes, uploads } = reading.options
  // Text is not the raw body: something has decoded the stream.
  if (!ArrayBuffer.isView(chunk)) return (reading.giveUp('body_already_read'), 0)
  const bytes = bytesOf(chunk)
  reading.receivedBytes += bytes.length
  if (reading.receivedBytes > maxBodyBytes) return (reading.giveUp('body_too_large'), 0)
  reading.chunks.push(bytes)
  return uploads.throttle(bytes.length, reading.receivedBytes)
}

function complete({ finish, chunks, receivedBytes, options }: Reading): void {
  finish(checkLength(join(chunks, receivedBytes), options))
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
