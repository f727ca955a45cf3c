import { followSignals } from './follow-signals.ts'

/** What came back over the wire. */
export interface Answer {
  status: number
  headers: Headers
  text: string
  /** Undefined where it is not JSON. */
  body: unknown
}

export interface SendOptions {
  /** What to send; a GET for JSON where it says nothing else. */
  init: RequestInit
  key: string
  fetch: typeof globalThis.fetch
  /** For the answer as a whole, its last byte included. */
  timeoutMs: number
  signal: AbortSignal
}

/** Makes one request; throws where no whole answer came in time. */
export async function send(
  url: URL,
  { init, key, fetch, timeoutMs, signal }: SendOptions,
): Promise<Answer> {
  const giveUp = followSignals([signal])
  const timer = setTimeout(() => {
    giveUp.abort(new DOMException(`No whole answer within ${timeoutMs} ms.`, 'TimeoutError'))
  }, timeoutMs)
  try {
    const headers = new Headers(init.headers)
    if (!headers.has('accept')) headers.set('accept', 'application/json')
    headers.set('authorization', `Bearer ${key}`)
    const response = await fetch(url, {
      ...init,
      headers,
      // The key is for this address alone.
      redirect: 'manual',
      signal: giveUp.signal,
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: parse(text) }
  } finally {
    clearTimeout(timer)
    giveUp.end()
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
