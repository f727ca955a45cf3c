import { Readable } from 'node:stream'
import { deadlineReached, onReached, withinDeadline, type Deadline } from './deadline.ts'
import type { Refused } from './statuses.ts'

/**
 * A body whose bytes nobody has changed yet: bytes, a Node request, a fetch body; or the word for a
 * body that is lost, since something else has read it.
 */
export type Body = Uint8Array | AsyncIterable<Uint8Array> | 'already_read'

/** Why a body could not be read whole. */
export type BodyProblem = Extract<
  Refused,
  'body_too_large' | 'body_already_read' | 'body_incomplete' | 'body_timeout' | 'client_gone'
>

export interface ReadBodyOptions {
  maxBodyBytes: number
  /** What Content-Length says, or 0. */
  contentLength: number
  deadline: Deadline
}

type Outcome = Uint8Array | BodyProblem

/** Reads a body to its end, within the limits; never throws, and never destroys a Node request. */
export function readBody(body: Body, options: ReadBodyOptions): Promise<Outcome> | Outcome {
  if (body === 'already_read') return 'body_already_read'
  if (options.contentLength > options.maxBodyBytes) return 'body_too_large'
  if (body instanceof Uint8Array) return readBytes(body, options)
  return body instanceof Readable ? readStream(body, options) : readIterable(body, options)
}

function readBytes(bytes: Uint8Array, { maxBodyBytes, contentLength }: ReadBodyOptions): Outcome {
  if (bytes.length > maxBodyBytes) return 'body_too_large'
  // A proxy that truncates a body leaves its Content-Length alone.
  return bytes.length < contentLength ? 'body_incomplete' : bytes
}

// By events: iterating a Node stream costs a tenth of the throughput, and leaving the loop early
// would destroy the socket that the answer has to go through.
function readStream(stream: Readable, options: ReadBodyOptions): Promise<Outcome> | Outcome {
  if (stream.readableEnded) return 'body_already_read'
  if (stream.destroyed) return 'client_gone'
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = []
    let size = 0
    let isGivenUp = false

    function giveUp(problem: BodyProblem): void {
      isGivenUp = true
      stream.pause()
      resolve(problem)
    }

    stream.on('data', (chunk: Uint8Array | string) => {
      if (isGivenUp) return
      if (typeof chunk === 'string') return giveUp('body_already_read')
      size += chunk.length
      if (size > options.maxBodyBytes) return giveUp('body_too_large')
      chunks.push(chunk)
    })
    stream.on('end', () => resolve(readBytes(join(chunks, size), options)))
    stream.on('close', () => resolve('client_gone'))
    // A late one has nobody to tell, and must not end the process.
    stream.on('error', () => resolve('client_gone'))
    onReached(options.deadline, () => giveUp('body_timeout'))
  })
}

async function readIterable(
  body: AsyncIterable<Uint8Array>,
  options: ReadBodyOptions,
): Promise<Outcome> {
  const chunks: Uint8Array[] = []
  let size = 0
  const iterator = body[Symbol.asyncIterator]()
  const stop = (problem: BodyProblem) => {
    iterator.return?.().catch(() => {})
    return problem
  }
  try {
    for (;;) {
      const next = await withinDeadline(options.deadline, iterator.next())
      if (next === deadlineReached) return stop('body_timeout')
      if (next.done) return readBytes(join(chunks, size), options)
      size += next.value.length
      if (size > options.maxBodyBytes) return stop('body_too_large')
      chunks.push(next.value)
    }
  } catch {
    return 'client_gone'
  }
}

function join(chunks: Uint8Array[], size: number): Uint8Array {
  const [only] = chunks
  return only && chunks.length === 1 ? only : Buffer.concat(chunks, size)
}
