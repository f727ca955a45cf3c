import type { RetryLine } from '../../src/actions.ts'
import type { SessionAnswer } from '../../src/login.ts'

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

/** Where the console is mounted, as the browser sees it; only the server's answer knows. */
const root = new URL(document.documentElement.dataset['root'] ?? './', location.href)

let csrf = ''

/** Asks who is looking, and learns the word to say with every action. */
export async function askSession(): Promise<SessionAnswer> {
  const session = await ask<SessionAnswer>('session')
  csrf = session.csrf
  return session
}

/** Looks at something. */
export async function ask<Answer>(view: string, query: Query = {}): Promise<Answer> {
  const url = new URL(`api/${view}`, root)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') url.searchParams.set(name, String(value))
  }
  const answer = await send(url, {})
  return await answer.json()
}

/** Does something. */
export async function act<Answer>(action: string, said: object): Promise<Answer> {
  const answer = await sendAction(action, said)
  return await answer.json()
}

/** Puts entries back, says how far it is, and gives their number. */
export async function retry(
  target: object,
  onProgress: (retried: number) => void,
  signal?: AbortSignal,
): Promise<number> {
  const answer = await sendAction('retry', target, signal)
  let retried = 0
  for await (const line of linesOf(answer)) {
    const said: RetryLine = JSON.parse(line)
    if ('error' in said) throw new ApiError(said.code, said.error)
    retried = said.retried
    onProgress(retried)
    if ('done' in said) return retried
  }
  throw new ApiError(
    'cut_off',
    `The connection was cut after ${retried}. Look at the list, and retry.`,
  )
}

async function sendAction(action: string, said: object, signal?: AbortSignal): Promise<Response> {
  return await send(new URL(`api/${action}`, root), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-feed-console': csrf },
    body: JSON.stringify(said),
    ...(signal && { signal }),
  })
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

async function* linesOf({ body }: Response): AsyncGenerator<string> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const chunk = await reader?.read()
    const lines = (rest + (chunk?.value ?? '')).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
    if (chunk === undefined || chunk.done) return
  }
}
