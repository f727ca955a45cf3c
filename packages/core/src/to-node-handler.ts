import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { FeedReceiverError } from './errors.ts'
import { fromNode } from './from-node.ts'

type NodeRequest = IncomingMessage | Http2ServerRequest
type NodeResponse = ServerResponse | Http2ServerResponse

export type FetchHandler = (request: Request) => Response | Promise<Response>

/** A fetch request cannot have these methods. */
const unsupportedMethods = ['CONNECT', 'TRACE', 'TRACK']

/**
 * Mounts a fetch handler in Express, Koa (on `ctx.req` and `ctx.res`), Fastify (on the raw pair),
 * `node:http` or `node:http2`. The handler sees the whole URL, mount path included. Rejects if the handler rejects,
 * so that the framework's error handling applies; resolves once the answer is written.
 *
 * @throws FeedReceiverError `bad_option` if it is given no function, such as a receiver.
 */
export function toNodeHandler(
  handler: FetchHandler,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  if (typeof handler !== 'function') {
    throw new FeedReceiverError(
      'bad_option',
      'toNodeHandler takes a function from a Request to a Response. Pass toFetch(receiver) in place of a receiver.',
    )
  }
  return async (request, response) => {
    // HTTP/2 allows `get` and `trace`, for which `new Request` throws.
    const method = request.method?.toUpperCase() ?? 'GET'
    if (unsupportedMethods.includes(method)) {
      response.writeHead(501).end()
      return
    }
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const answer = await handler(toRequest(request, method, gone.signal))
    response.writeHead(answer.status, toNodeHeaders(answer.headers, request))
    if (!answer.body || method === 'HEAD') {
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
  message: NodeRequest & { originalUrl?: string },
  method: string,
  signal: AbortSignal,
): Request {
  const { originalUrl, url = '/' } = message
  const hasBody = method !== 'GET' && method !== 'HEAD'
  return new Request(toUrl(message, originalUrl ?? url), {
    method,
    headers: toFetchHeaders(message),
    signal,
    ...(hasBody && { body: toFetchBody(message), duplex: 'half' as const }),
  })
}

// Node accepts any Host and any path. Neither may make the handler throw, as a user name in the URL
// would, and a path such as `//name/page` may not name the host.
function toUrl({ headers, socket }: NodeRequest, target: string): URL {
  const scheme = 'encrypted' in socket ? 'https' : 'http'
  // HTTP/2 has no Host.
  const host = headers.host ?? [headers[':authority'] ?? ''].flat().join()
  const origin = parseUrl(`${scheme}://${host}`)?.origin ?? `${scheme}://localhost`
  if (target.startsWith('/')) return new URL(origin + target)
  // The absolute form of proxies, or the `*` of OPTIONS.
  const { pathname = '/', search = '' } = parseUrl(target, origin) ?? {}
  return new URL(origin + pathname + search)
}

// Not URL.canParse: on Node 20 it rejects characters such as ü after some thousand calls.
function parseUrl(url: string, base?: string): URL | undefined {
  try {
    return new URL(url, base)
  } catch {
    return undefined
  }
}

function toFetchHeaders({ headers }: NodeRequest): Headers {
  const result = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    // The pseudo headers of HTTP/2 are no headers for fetch, which throws.
    if (name.startsWith(':')) continue
    for (const one of Array.isArray(value) ? value : [value ?? '']) result.append(name, one)
  }
  return result
}

function toFetchBody(message: NodeRequest): Uint8Array | Readable {
  const { body } = fromNode(message)
  if (body === 'already_read') {
    throw new Error(
      'Something read the body before this handler could. Mount it before every body parser, or ' +
        'keep the raw body: express.json({ verify: keepRawBody }).',
    )
  }
  return body instanceof Uint8Array ? body : message
}

function toNodeHeaders(
  headers: Headers,
  { httpVersionMajor }: NodeRequest,
): Record<string, string | string[]> {
  const cookies = headers.getSetCookie()
  const all = {
    ...Object.fromEntries(headers),
    ...(cookies.length > 0 && { 'set-cookie': cookies }),
  }
  // HTTP/2 has none, and Node warns of them.
  if (httpVersionMajor >= 2) for (const name of connectionHeaders) Reflect.deleteProperty(all, name)
  return all
}

const connectionHeaders = ['connection', 'keep-alive', 'transfer-encoding', 'upgrade']
