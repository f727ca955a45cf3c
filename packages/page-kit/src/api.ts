/** The parameters of a query. Empty and missing ones are the same. */
export type Query = Readonly<Record<string, string | number | undefined>>

/** A call that was rejected or not answered. Its message is for people. */
export class ApiError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * The URL under which the page is mounted, as the browser sees it. Only the server's answer
 * contains it.
 */
const root = new URL(document.documentElement.dataset['root'] ?? './', location.href)

/** Creates the client of the page's server, or of one mounted in a folder below it. */
export function createApi(folder = './') {
  const base = new URL(folder, root)
  return { get, post, urlOf }

  async function get(name: string, query: Query = {}): Promise<Response> {
    return await send(urlOf(name, query), {})
  }

  /** The URL of a query, for a link that saves the answer. */
  function urlOf(name: string, query: Query = {}): URL {
    const url = new URL(`api/${name}`, base)
    for (const [key, value] of Object.entries(query)) {
      if (value !== undefined && value !== '') url.searchParams.set(key, String(value))
    }
    return url
  }

  async function post(name: string, input: object, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    headers.set('content-type', 'application/json')
    const body = JSON.stringify(input)
    return await send(urlOf(name), { ...init, method: 'POST', headers, body })
  }
}

async function send(url: URL, init: RequestInit): Promise<Response> {
  const answer = await fetch(url, init).catch((error: unknown) => {
    if (init.signal?.aborted) throw error
    const next = init.method === 'POST' ? 'Try again in a moment.' : 'Retrying every few seconds.'
    throw new ApiError('unreachable', `The server does not answer. ${next}`)
  })
  const isPage = answer.headers.get('content-type')?.startsWith('text/html')
  if (answer.ok && !isPage) return answer
  const rejection: { error?: string; code?: string } = await answer.json().catch(() => ({}))
  const unknown = answer.ok
    ? 'A login page answered instead of the server. Reload this page to log in.'
    : `The server answered with ${answer.status}.`
  const message = rejection.error ?? unknown
  throw new ApiError(rejection.code ?? 'unknown', message)
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
