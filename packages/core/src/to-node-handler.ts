import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fromNode } from './from-node.ts'

export type FetchHandler = (request: Request) => Response | Promise<Response>

/**
 * Mounts a fetch handler in Express, Koa (on `ctx.req` and `ctx.res`), Fastify (on the raw pair) or
 * `node:http`. The handler sees the whole URL, mount path included. Rejects if the handler rejects,
 * so that the framework's error handling applies; resolves once the answer is written.
 */
export function toNodeHandler(
  handler: FetchHandler,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const answer = await handler(toRequest(request, gone.signal))
    response.writeHead(answer.status, toNodeHeaders(answer.headers))
    if (!answer.body || request.method === 'HEAD') {
      response.end()
      // Otherwise the producer of the body would wait for a reader for ever.
      await answer.body?.cancel().catch(() => undefined)
      return
    }
    try {
      await pipeline(Readable.fromWeb(answer.body), response)
    } catch (error) {
      // A client that disconnects during an answer is not an error of the handler.
      if (!gone.signal.aborted) throw error
    }
  }
}

function toRequest(
  message: IncomingMessage & { originalUrl?: string },
  signal: AbortSignal,
): Request {
  const { method = 'GET', originalUrl, url = '/' } = message
  const hasBody = method !== 'GET' && method !== 'HEAD'
  return new Request(toUrl(message, originalUrl ?? url), {
    method,
    headers: toFetchHeaders(message),
    signal,
    ...(hasBody && { body: toFetchBody(message), duplex: 'half' as const }),
  })
}

// Node accepts any Host and any path; neither may make the handler throw.
function toUrl({ headers, socket }: IncomingMessage, path: string): URL {
  const scheme = 'encrypted' in socket ? 'https' : 'http'
  const hosts = [headers.host ?? '', 'localhost'].map((host) => `${scheme}://${host}`)
  for (const host of hosts) {
    // Not URL.canParse: on Node 20 it rejects characters such as ü after some thousand calls.
    try {
      return new URL(path, host)
    } catch {}
  }
  return new URL(`${scheme}://localhost/`)
}

function toFetchHeaders({ headers }: IncomingMessage): Headers {
  const result = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    for (const one of Array.isArray(value) ? value : [value ?? '']) result.append(name, one)
  }
  return result
}

function toFetchBody(message: IncomingMessage): Uint8Array | Readable {
  const { body } = fromNode(message)
  if (body === 'already_read') {
    throw new Error(
      'Something read the body before this handler could. Mount it before every body parser, or ' +
        'keep the raw body: express.json({ verify: keepRawBody }).',
    )
  }
  return body instanceof Uint8Array ? body : message
}

function toNodeHeaders(headers: Headers): Record<string, string | string[]> {
  const cookies = headers.getSetCookie()
  return { ...Object.fromEntries(headers), ...(cookies.length > 0 && { 'set-cookie': cookies }) }
}
