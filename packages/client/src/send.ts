import type { ClientOptions } from './client-options.ts'
import { breakingOff, hold } from './wait.ts'

/** What came back over the wire. */
export interface Answer {
  status: number
  headers: Headers
  text: string
  /** Undefined where it is not JSON. */
  body: unknown
}

type Settled<Options> = { [Name in keyof Options]-?: Exclude<Options[Name], undefined> }

interface SendOptions extends Settled<Pick<ClientOptions, 'fetch' | 'timeoutMs' | 'clock'>> {
  key: string
  signal: AbortSignal
}

/**
 * Makes one request, a GET for JSON where `init` says nothing else; gives the cause where no whole
 * answer came in time. It takes real time, and so none of a clock that is moved.
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
    const late = new DOMException(`No whole answer within ${timeoutMs} ms.`, 'TimeoutError')
    const timer = setTimeout(() => own.abort(late), timeoutMs)
    try {
      // The key is for this address alone.
      const sent = { ...init, headers, redirect: 'manual', signal: own.signal } as const
      const answer = await fetch(url, sent)
      const text = await answer.text()
      return { status: answer.status, headers: answer.headers, text, body: parse(text) }
    } finally {
      clearTimeout(timer)
    }
  }
}

/** The JSON in a text; undefined where there is none. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A cause is for a log as well, and whatever made the request has seen the key. */
function withoutKey(error: unknown, key: string): unknown {
  const seen =
    error instanceof Error ? `${error.message} ${error.stack ?? ''} ${String(error.cause)}` : error
  return String(seen).includes(key) ? new Error('What failed has named the key.') : error
}
