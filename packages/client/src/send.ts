import type { ClientOptions } from './client-options.ts'
import { breakingOff, hold } from './wait.ts'

/** The answer to one request. */
export interface Answer {
  status: number
  headers: Headers
  text: string
  /** Undefined if it is not JSON. */
  body: unknown
}

type Settled<Options> = { [Name in keyof Options]-?: Exclude<Options[Name], undefined> }

interface SendOptions extends Settled<Pick<ClientOptions, 'fetch' | 'timeoutMs' | 'clock'>> {
  key: string
  signal: AbortSignal
}

/**
 * Sends one request, by default a GET for JSON. Returns the cause if no complete answer arrived in
 * time. It takes real time, so it holds a clock that can be moved.
 */
export async function send(
  url: URL,
  init: RequestInit,
  { key, fetch, timeoutMs, clock, signal }: SendOptions,
): Promise<Answer | { cause: unknown }> {
  const headers = new Headers(init.headers)
  if (!headers.has('accept')) headers.set('accept', 'application/json')
  headers.set('authorization', `Bearer ${key}`)
  try {
    return await hold(clock, () => breakingOff([signal], request))
  } catch (error) {
    signal.throwIfAborted()
    return { cause: withoutKey(error, key) }
  }

  async function request(own: AbortController): Promise<Answer> {
    const late = new DOMException(`No complete answer within ${timeoutMs} ms.`, 'TimeoutError')
    const timer = setTimeout(() => own.abort(late), timeoutMs)
    try {
      // The key must not reach another address through a redirect.
      const sent = { ...init, headers, redirect: 'manual', signal: own.signal } as const
      const answer = await fetch(url, sent)
      const text = await answer.text()
      return { status: answer.status, headers: answer.headers, text, body: parse(text) }
    } finally {
      clearTimeout(timer)
    }
  }
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
  const seen =
    error instanceof Error ? `${error.message} ${error.stack ?? ''} ${String(error.cause)}` : error
  return String(seen).includes(key)
    ? new Error('Hidden, because the error contained the API key.')
    : error
}
