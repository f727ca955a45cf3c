/** The requests of a console's page to its server, without the page. */
export interface ConsoleClient {
  get(view: string): Promise<Answer>
  /** Sends the request of the page with other headers; `undefined` removes one. */
  post(action: string, said: unknown, headers?: Record<string, string | undefined>): Promise<Answer>
  login(token: string, name?: string): Promise<void>
  /** The same browser at another console. */
  at(url: URL): ConsoleClient
  readonly setCookies: string[]
}

export interface Answer {
  status: number
  headers: Headers
  text: string
  body: unknown
}

/** Stores cookies like a browser, and sends its origin. */
export function consoleClient(
  url: URL,
  always: Record<string, string> = {},
  cookies = new Map<string, string>(),
): ConsoleClient {
  const setCookies: string[] = []

  const client: ConsoleClient = {
    setCookies,
    get: (view) => send('GET', view, {}),
    async post(action, said, headers = {}) {
      const page = {
        'content-type': 'application/json',
        origin: url.origin,
        'x-feed-console': cookies.get('feed_console_csrf'),
      }
      return await send('POST', action, { ...page, ...headers }, JSON.stringify(said))
    },
    async login(token, name = '') {
      await client.get('session')
      const { status, text } = await client.post('login', { token, name })
      if (status !== 200) throw new Error(`The login was answered with ${status}: ${text}`)
    },
    at: (other) => consoleClient(other, always, cookies),
  }
  return client

  async function send(
    method: string,
    name: string,
    headers: Record<string, string | undefined>,
    body?: string,
  ): Promise<Answer> {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const all = Object.entries({ ...always, ...headers, cookie }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    )
    const answer = await fetch(new URL(`api/${name}`, url), {
      method,
      headers: all,
      ...(body !== undefined && { body }),
    })
    for (const set of answer.headers.getSetCookie()) {
      setCookies.push(set)
      const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      cookies.set(key, value)
    }
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, text, body: parse(text) }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
