import { codeOf } from '@feed-receiver/core/internal'
import { request as httpRequest, type Agent, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { parseJson } from '../../or-undefined.ts'
import { findTrap, readOwnAnswer, type Trap } from '../traps/find-trap.ts'
import { writeBody, type BodyPacing } from './write-body.ts'

interface SendOptions {
  /** A list sends the header several times. */
  headers: Record<string, string | string[]>
  body: Uint8Array
  pacing?: BodyPacing | undefined
  agent?: Agent | undefined
  signal: AbortSignal
}

/** The result of a request: the head of a response, or the error code if there was none. */
export type Answer = (Answered | { status: null; error: string }) & {
  reused: boolean
  durationMs: number
}

interface Answered {
  status: number
  code: string | undefined
  /** Whether the body has the form of a rejection by a receiver of this kit. */
  isOwn: boolean
  trap: Trap | undefined
}

/** Longer than the service's timeout of 10 s, so that a late response is distinguished from none. */
export const requestLimitMs = 12_000

/**
 * Sends one POST, follows no redirect, and returns the result. It reads only the beginning of the
 * response and keeps only its `code` and its trap, because a receiver may echo the request.
 *
 * @throws the reason of `signal`. Every other failure is an answer without a status.
 */
export async function sendRequest(url: URL, options: SendOptions): Promise<Answer> {
  const { signal } = options
  signal.throwIfAborted()
  const limit = AbortSignal.timeout(requestLimitMs)
  const answer = await exchange(url, { ...options, signal: AbortSignal.any([signal, limit]) })
  signal.throwIfAborted()
  return limit.aborted && answer.status === null ? { ...answer, error: 'timeout' } : answer
}

function exchange(
  url: URL,
  { headers, body, pacing = {}, agent, signal }: SendOptions,
): Promise<Answer> {
  const startedAt = performance.now()
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve) => {
    // The global agent would reuse connections, and so carry effects of one check to the next.
    const request = send(url, { method: 'POST', headers, signal, agent: agent ?? false })
    const soFar = () => ({
      reused: request.reusedSocket,
      durationMs: Math.round(performance.now() - startedAt),
    })
    request.on('response', (response) => {
      const seen = soFar()
      void readAnswer(response).then((answer) => resolve({ ...answer, ...seen }))
    })
    request.on('error', (error) =>
      resolve({ status: null, error: codeOf(error) ?? error.name, ...soFar() }),
    )
    void writeBody(request, body, pacing)
  })
}

const maxAnswerBytes = 16 * 1024
const answerBodyLimitMs = 1_000

async function readAnswer(response: IncomingMessage): Promise<Answered> {
  const { statusCode: status = 0, headers } = response
  const body = await readBeginning(response)
  const isOwn = readOwnAnswer(body) !== undefined
  return { status, code: readCode(body), isOwn, trap: findTrap({ status, headers, body }) }
}

async function readBeginning(response: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  const timer = setTimeout(() => response.destroy(), answerBodyLimitMs)
  try {
    for await (const chunk of response) {
      if (!(chunk instanceof Uint8Array)) break
      chunks.push(chunk)
      size += chunk.length
      if (size > maxAnswerBytes) break // which destroys it
    }
  } catch {
    // The part received so far may be enough.
  } finally {
    clearTimeout(timer)
  }
  return Buffer.concat(chunks).toString()
}

/** The `code` of a JSON response, as in the error bodies of the kit and of the service. */
function readCode(text: string): string | undefined {
  const { code }: { code?: unknown } = Object(parseJson(text))
  return typeof code === 'string' && harmless.test(code) ? code : undefined
}

const harmless = /^(?!feed_whsec)[a-z][a-z_]{0,39}$/
