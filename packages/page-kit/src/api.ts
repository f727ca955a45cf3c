/** What a query may say; empty and missing are the same. */
export type Query = Readonly<Record<string, string | number | undefined>>

/** A call that was refused, or not answered at all; the message is for people. */
export class ApiError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** Where the page is mounted, as the browser sees it; only the server's answer knows. */
const root = new URL(document.documentElement.dataset['root'] ?? './', location.href)

/** The calls of the server of the page, or of one that is mounted in a folder below it. */
export function createApi(folder = './') {
  const base = new URL(folder, root)
  return { get, post, urlOf }

  /** Asks for something. */
  async function get(name: string, query: Query = {}): Promise<Response> {
    return await send(urlOf(name, query), {})
  }

  /** Where a question is answered, for a link that saves the answer. */
  function urlOf(name: string, query: Query = {}): URL {
    const url = new URL(`api/${name}`, base)
    for (const [key, value] of Object.entries(query)) {
      if (value !== undefined && value !== '') url.searchParams.set(key, String(value))
    }
    return url
  }

  /** Has the server do something. */
  async function post(name: string, said: object, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    headers.set('content-type', 'application/json')
    const body = JSON.stringify(said)
    return await send(urlOf(name), { ...init, method: 'POST', headers, body })
  }
}

async function send(url: URL, init: RequestInit): Promise<Response> {
  const answer = await fetch(url, init).catch((error: unknown) => {
    if (init.signal?.aborted) throw error
    const next =
      init.method === 'POST' ? 'Try again in a moment.' : 'It is asked again every few seconds.'
    throw new ApiError('unreachable', `The server does not answer. ${next}`)
  })
  if (answer.ok) return answer
  const refusal: { error?: string; code?: string } = await answer.json().catch(() => ({}))
  const message = refusal.error ?? `The server answered with ${answer.status}.`
  throw new ApiError(refusal.code ?? 'unknown', message)
}

/** What went wrong, for people. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
