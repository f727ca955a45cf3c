import { ApiError, createApi, publish, type Query, type Topic } from '@feed-receiver/page-kit'
import { createContext } from 'preact'
import type { ProgressLine } from '../../src/actions.ts'
import type { SessionAnswer } from '../../src/access.ts'
import type { ViewAnswer, ViewName } from '../../src/views.ts'

/** Notifies when the session is gone. */
export const loggedOut: Topic<void> = new Set()

/** The maximum number of rows that the server returns at once. */
export const maxLive = 500

// A page that shows more than the inbox names the path of the console below it.
const { get, post, urlOf } = createApi(document.documentElement.dataset['inbox'])

export { urlOf }

/** What users can do here. */
export const Allowed = createContext({ readOnly: true, canReproduce: false })

let csrf = ''

/** Requests the session, and stores the CSRF token that every action must send. */
export async function askSession(): Promise<SessionAnswer> {
  const answer = await get('session')
  const session: SessionAnswer = await answer.json()
  csrf = session.csrf
  return session
}

export async function ask<Name extends ViewName>(
  view: Name,
  query: Query = {},
): Promise<ViewAnswer<Name>> {
  const answer = await get(view, query).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'not_logged_in') publish(loggedOut, undefined)
    throw error
  })
  return await answer.json()
}

export async function act<Answer>(action: string, input: object): Promise<Answer> {
  const answer = await sendAction(action, input)
  return await answer.json()
}

/** Requeues entries, reports progress, and returns their number. */
export async function requeue(
  action: 'retry' | 'reprocess',
  target: object,
  onProgress: (count: number) => void,
  signal?: AbortSignal,
): Promise<number> {
  const answer = await sendAction(action, target, signal)
  let count = 0
  for await (const line of linesOf(answer)) {
    const progress: ProgressLine = JSON.parse(line)
    if ('error' in progress) throw new ApiError(progress.code, progress.error)
    count = progress.count
    onProgress(count)
    if ('done' in progress) return count
  }
  throw new ApiError(
    'cut_off',
    `The connection was lost after ${count} entries. Check the list, and try again.`,
  )
}

async function sendAction(action: string, input: object, signal?: AbortSignal): Promise<Response> {
  return await post(action, input, {
    headers: { 'x-feed-console': csrf },
    ...(signal && { signal }),
  })
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
