import { isError } from '@feed-receiver/core/internal'
import type { Dispatcher } from 'undici'
import { abortedError, deadlineError } from '../answer/failure.ts'

export interface PostOptions {
  dispatcher: Dispatcher
  target: URL
  /** Names and values in turn. */
  headers: string[]
  body: Uint8Array
  /** For the whole attempt: DNS, connecting, TLS, the head and the read part of the body. */
  deadlineMs: number
  signal: AbortSignal | undefined
  /** Like `signal`. undici aborts only requests on the connections that it still counts. */
  closing: AbortSignal
}

export interface Answer {
  status: number
  retryAfter: string | undefined
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** From the start to the end of the head. */
  durationMs: number
  /** At most the first 16 KiB; less if the body broke off or the deadline came. */
  body: Uint8Array
  /** Whether `body` is complete. */
  isWhole: boolean
}

/**
 * Sends one POST, follows no redirect, and reads at most the start of the body. Once the
 * head has arrived its status counts, even if the body fails. Uses undici's `dispatch`, which
 * avoids the streams of `request`.
 *
 * @throws Error with the code `deadline` or `aborted`, or that of undici or of the system.
 */
export function post(options: PostOptions): Promise<Answer> {
  const { dispatcher, target, deadlineMs, signal, closing, ...sent } = options
  const path = target.pathname + target.search
  return new Promise((resolve, reject) => {
    if (signal?.aborted || closing.aborted) return reject(abortedError())
    const startedAt = performance.now()
    let controller: Dispatcher.DispatchController | undefined
    let head: Pick<Answer, 'status' | 'retryAfter' | 'headers' | 'durationMs'> | undefined
    const chunks: Uint8Array[] = []
    let size = 0
    let ended: Error | true | undefined

    const deadline = setTimeout(() => end(deadlineError('answer', deadlineMs)), deadlineMs)
    const abort = () => end(abortedError())
    signal?.addEventListener('abort', abort)
    closing.addEventListener('abort', abort)
    dispatcher.dispatch(
      { origin: target.origin, path, method: 'POST', ...sent },
      {
        // undici calls this only once it is connected, which may be after the deadline.
        onRequestStart(started) {
          controller = started
          if (isError(ended)) started.abort(ended)
        },
        onResponseStart(_controller, status, headers) {
          const durationMs = performance.now() - startedAt
          const retryAfter = headers['retry-after'] && [headers['retry-after']].flat().join(', ')
          head = { status, retryAfter, headers, durationMs }
        },
        onResponseData(_controller, chunk) {
          chunks.push(chunk)
          size += chunk.length
          if (size >= maxBodyBytes) end(new Error('Enough of the body is read.'))
        },
        onResponseEnd: () => end(true),
        onResponseError: (_controller, error) => end(error),
      },
    )

    function end(how: Error | true): void {
      if (ended) return
      ended = how
      clearTimeout(deadline)
      signal?.removeEventListener('abort', abort)
      closing.removeEventListener('abort', abort)
      const body = chunks.length > 0 ? Buffer.concat(chunks).subarray(0, maxBodyBytes) : nothing
      if (head) resolve({ ...head, body, isWhole: how === true })
      else reject(how)
      if (how !== true) controller?.abort(how)
    }
  })
}

const maxBodyBytes = 16 * 1024
const nothing = new Uint8Array()
