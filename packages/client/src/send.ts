/** What came back over the wire. */
export interface Answer {
  status: number
  headers: Headers
  /** Undefined where it is not JSON. */
  body: unknown
}

export interface SendOptions {
  key: string
  fetch: typeof globalThis.fetch
  /** For the answer as a whole, its last byte included. */
  timeoutMs: number
  signal: AbortSignal | undefined
}

/** Makes one GET request; throws where no whole answer came in time. */
export async function send(
  url: URL,
  { key, fetch, timeoutMs, signal }: SendOptions,
): Promise<Answer> {
  const giveUp = new AbortController()
  const abort = () => giveUp.abort(signal?.reason)
  const timer = setTimeout(() => giveUp.abort(new TimeoutError(timeoutMs)), timeoutMs)
  signal?.addEventListener('abort', abort, { once: true })
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json', authorization: `Bearer ${key}` },
      // The key is for this address alone.
      redirect: 'manual',
      signal: giveUp.signal,
    })
    const { status, headers } = response
    return { status, headers, body: parse(await response.text()) }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

class TimeoutError extends Error {
  override name = 'TimeoutError'

  constructor(timeoutMs: number) {
    super(`No whole answer within ${timeoutMs} ms.`)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
