import { inspect } from 'node:util'
import type { Clock } from '@feed-receiver/core/node'
import { messagesOf } from './causes.ts'
import { ClientError } from './errors.ts'
import { withAbort, hold } from './wait.ts'

/** The answer to one request. */
export interface Answer {
  status: number
  headers: Headers
  text: string
  /** Undefined if it is not JSON. */
  body: unknown
}

interface SendOptions {
  key: string
  fetch: typeof globalThis.fetch
  timeoutMs: number
  maxAnswerBytes: number
  clock: Clock
  signal: AbortSignal
}

/**
 * Sends one request, by default a GET for JSON. Returns the cause if no complete answer arrived in
 * time. It takes real time, so it holds a clock that can be moved. Errors: `unexpected_answer` for
 * an answer that is too large, because the next one would be as large.
 */
export async function send(
  url: URL,
  init: RequestInit,
  { key, fetch, timeoutMs, maxAnswerBytes, clock, signal }: SendOptions,
): Promise<Answer | { cause: unknown }> {
  const headers = new Headers(init.headers)
  if (!headers.has('accept')) headers.set('accept', 'application/json')
  headers.set('authorization', `Bearer ${key}`)
  try {
    return await hold(clock, () => withAbort([signal], request))
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ClientError) throw error
    return { cause: withoutKey(error, key) }
  }

  async function request(own: AbortController): Promise<Answer> {
    const late = new DOMException(`No complete answer within ${timeoutMs} ms.`, 'TimeoutError')
    const timer = setTimeout(() => own.abort(late), timeoutMs)
    try {
      // The key must not reach another address through a redirect.
      const sent = { ...init, headers, redirect: 'manual', signal: own.signal } as const
      const answer = await fetch(url, sent)
      const text = await readText(answer, maxAnswerBytes)
      if (text === undefined) throw tooLarge(url.pathname, answer.status, maxAnswerBytes)
      return { status: answer.status, headers: answer.headers, text, body: parse(text) }
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Reads a body as text; undefined if it has more bytes, counted as decoded. */
async function readText({ body }: Response, maxBytes: number): Promise<string | undefined> {
  if (!body) return ''
  const chunks: Uint8Array[] = []
  let bytes = 0
  // Leaving the loop cancels the body, so that nothing more of it is decoded.
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxBytes) return undefined
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

function tooLarge(path: string, status: number, maxBytes: number): ClientError {
  return new ClientError(
    'unexpected_answer',
    `The answer to ${path} has more than ${maxBytes} bytes. Check that baseUrl is the URL of the ` +
      'service; if it is, read smaller pages with limit, or raise maxAnswerBytes.',
    { status },
  )
}

/** Parses JSON; undefined if the text is not JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Removes the key from a cause, because causes reach logs and `fetch` has seen the key. */
function withoutKey(error: unknown, key: string): unknown {
  const texts = [...messagesOf(error), inspect(error, { depth: 9, maxStringLength: null })]
  return texts.some((text) => text.includes(key))
    ? new Error('Hidden, because the error contained the API key.')
    : error
}
