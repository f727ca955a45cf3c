import { Readable } from 'node:stream'
import { onReached, type Deadline } from './deadline.ts'
import type { Refused } from './statuses.ts'
import type { Uploads } from './uploads.ts'

/**
 * A body whose bytes nobody has changed yet: bytes, a Node request, a fetch body; or the word for a
 * body that is lost, since something else has read it.
 */
export type Body = Uint8Array | AsyncIterable<Uint8Array> | 'already_read'

/** Why a body could not be read whole. */
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

/** Tagged, because the sender decides what a body is: nothing in it may pass for a problem. */
type Outcome = { bytes: Uint8Array } | { problem: BodyProblem }

/** Reads a body to its end, within the limits. Never throws, and never destroys or cancels a body. */
export function readBody(body: Body, options: ReadBodyOptions): Promise<Outcome> | Outcome {
  if (typeof body === 'string') return { problem: 'body_already_read' }
  if (options.contentLength > options.maxBodyBytes) return { problem: 'body_too_large' }
  if (body instanceof Uint8Array) return checkLength(body, options)
  if (!(body instanceof Readable))
    return gather(options, (gathering) => void iterate(body, gathering))
  if (body.readableEnded) return { problem: 'body_already_read' }
  if (body.destroyed) return { problem: 'client_gone' }
  return gather(options, (gathering) => listen(body, gathering))
}

function checkLength(bytes: Uint8Array, { maxBodyBytes, contentLength }: ReadBodyOptions): Outcome {
  if (bytes.length > maxBodyBytes) return { problem: 'body_too_large' }
  // A proxy that truncates a body leaves its Content-Length alone.
  return bytes.length < contentLength ? { problem: 'body_incomplete' } : { bytes }
}

/** What a body hands its chunks to, one after the other. */
interface Gathering {
  add(chunk: unknown): void
  complete(): void
  fail(problem: BodyProblem): void
  readonly isOver: boolean
}

/** Gathers chunks until the body is complete, or until one of the limits ends it. */
function gather(options: ReadBodyOptions, read: (gathering: Gathering) => void): Promise<Outcome> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = []
    const upload = options.uploads.start(fail)
    const gathering: Gathering = {
      add,
      complete: () => end(() => checkLength(join(chunks, upload.receivedBytes), options)),
      fail,
      get isOver() {
        return upload.isOver
      },
    }
    onReached(options.deadline, () => fail('body_timeout'))
    read(gathering)

    function add(chunk: unknown): void {
      // Text is not the bytes that were signed, and it means that somebody decoded the stream.
      if (!(chunk instanceof Uint8Array)) return fail('body_already_read')
      upload.receivedBytes += chunk.length
      if (upload.receivedBytes > options.maxBodyBytes) return fail('body_too_large')
      chunks.push(chunk)
    }

    function fail(problem: BodyProblem): void {
      end(() => ({ problem }))
    }

    function end(outcome: () => Outcome): void {
      if (upload.isOver) return
      options.uploads.end(upload)
      resolve(outcome())
    }
  })
}

// By events: iterating a Node stream costs a tenth of the throughput, and leaving the loop early
// would destroy the socket that the answer has to go through.
function listen(stream: Readable, gathering: Gathering): void {
  stream.on('data', (chunk: unknown) => {
    if (gathering.isOver) stream.pause()
    else gathering.add(chunk)
  })
  stream.on('end', gathering.complete)
  stream.on('close', () => gathering.fail('client_gone'))
  // A late error has nobody to tell, and must not end the process.
  stream.on('error', () => gathering.fail('client_gone'))
}

// It stops asking, and never cancels: some servers write on into a body that was cancelled, and the
// error ends the process. The answer closes the connection instead.
async function iterate(body: AsyncIterable<unknown>, gathering: Gathering): Promise<void> {
  try {
    const iterator = body[Symbol.asyncIterator]()
    while (!gathering.isOver) {
      const { done, value } = await iterator.next()
      if (done) gathering.complete()
      else if (!gathering.isOver) gathering.add(value)
    }
  } catch {
    gathering.fail('client_gone')
  }
}

function join(chunks: Uint8Array[], size: number): Uint8Array {
  const [only] = chunks
  return only && chunks.length === 1 ? only : Buffer.concat(chunks, size)
}
