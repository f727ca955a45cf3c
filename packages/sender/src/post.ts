import { request, type Dispatcher } from 'undici'
import { followSignal } from './follow-signal.ts'

export interface PostOptions {
  dispatcher: Dispatcher
  url: URL
  /** Names and values in turn. */
  headers: string[]
  body: Uint8Array
  /** For all of it: DNS, connecting, TLS, the head of the answer and what is read of its body (R233). */
  deadlineMs: number
  signal?: AbortSignal | undefined
}

export interface Answer {
  status: number
  retryAfter: string | undefined
  /** From the start to the end of the head. */
  durationMs: number
  body: AnswerBody
}

export interface AnswerBody {
  /** At most 16 KiB; less where the body broke off or the deadline came. */
  bytes: Uint8Array
  /** False also for a body of 16 KiB and more. */
  isWhole: boolean
}

/** Thrown by `post` where the deadline came before the head of the answer was there. */
export class DeadlineError extends Error {
  override name = 'DeadlineError'
  readonly code = 'deadline'
}

/**
 * Posts once, follows no redirect (R179), and reads at most the beginning of the body. Once the head
 * is there the status counts, whatever becomes of the body.
 *
 * @throws DeadlineError, the reason of `signal`, or the error of undici or of the system.
 */
export async function post({
  dispatcher,
  url,
  headers,
  body,
  deadlineMs,
  signal,
}: PostOptions): Promise<Answer> {
  const startedAt = performance.now()
  const stopping = new AbortController()
  const unfollow = followSignal(stopping, signal)
  const deadline = setTimeout(() => {
    stopping.abort(new DeadlineError(`No answer came within ${deadlineMs} ms.`))
  }, deadlineMs)
  try {
    stopping.signal.throwIfAborted()
    const sent = request(url, {
      dispatcher,
      method: 'POST',
      headers,
      body,
      signal: stopping.signal,
      // Both are idle times, and coarse; the deadline covers them.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    // The client looks at a signal only once it is connected, hence the race.
    const answer = await Promise.race([sent, rejectOnAbort(stopping.signal)])
    return {
      status: answer.statusCode,
      retryAfter: oneValue(answer.headers['retry-after']),
      durationMs: performance.now() - startedAt,
      body: await readBeginning(answer.body),
    }
  } finally {
    clearTimeout(deadline)
    unfollow()
  }
}

const maxBodyBytes = 16 * 1024

async function readBeginning(body: Dispatcher.ResponseData['body']): Promise<AnswerBody> {
  const chunks: Uint8Array[] = []
  let size = 0
  let isWhole = true
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      chunks.push(chunk)
      size += chunk.length
      isWhole = size < maxBodyBytes
      if (!isWhole) break // which destroys it
    }
  } catch {
    isWhole = false
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBodyBytes), isWhole }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
  })
}

function oneValue(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value
}
