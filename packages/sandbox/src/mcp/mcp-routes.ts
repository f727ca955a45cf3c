import { createMcpHandler, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { beginFault, cutAnswer, foreignPage } from '../faults/with-faults.ts'
import { admit, callerOf, writeLimits } from '../server/api-routes.ts'
import type { Context } from '../server/context.ts'
import { Rejection, type RejectionReason } from '../server/rejections.ts'
import { rejectUnrouted, routedPath } from '../server/reject-unrouted.ts'
import { checkHost } from '../server/session.ts'
import { createToolServer } from './tool-server.ts'

/**
 * The MCP endpoint, under its prefix: Streamable HTTP without sessions, in both eras of the
 * protocol. Every request with a valid key is charged, whatever its result.
 */
export function addMcpRoutes(server: FastifyInstance, context: Context): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body)
  })
  // Before the body is read, so that a request with a too large body is charged too.
  server.addHook('onRequest', async (request) => {
    checkHost(context, request)
    await admit(context, request)
  })
  rejectUnrouted(server, (request) => {
    const path = routedPath(request)
    if (path !== server.prefix && path !== `${server.prefix}/`) return new Rejection('not_found')
    // There are no sessions to delete and no streams to open.
    return new Rejection('bad_method', {
      detail: 'This address accepts only POST.',
      headers: { Allow: 'POST' },
    })
  })
  server.post('/', async (request, reply) => {
    const caller = callerOf(request)
    const fault = await beginFault(context, 'mcp', caller)
    const errors: Error[] = []
    const onerror = (error: Error) => errors.push(error)
    const handler = createMcpHandler(() => createToolServer(context, request, caller, fault), {
      onerror,
    })
    const response = await handler.fetch(toFetchRequest(context, request, reply))
    // The handler also reports invalid requests, which are no errors of the sandbox.
    if (response.status >= 500) errors.forEach(context.onError)
    await checkAnswered(response)
    response.headers.set('Cache-Control', 'no-store')
    writeLimits(reply, caller)
    if (fault?.kind === 'not_json') return await reply.type('text/html').send(foreignPage)
    if (fault?.kind === 'cut') return cutAnswer(reply, await response.text())
    return await reply.send(response)
  })
}

function toFetchRequest(
  { baseUrl }: Context,
  { headers, body }: FastifyRequest,
  reply: FastifyReply,
): Request {
  const aborting = new AbortController()
  reply.raw.once('close', () => aborting.abort())
  const given = Object.entries(headers).flatMap(([name, value]) =>
    // The SDK does not need the key, so its logs must not get it.
    value === undefined || name === 'authorization' ? [] : [[name, String(value)]],
  )
  return new Request(`${baseUrl()}/mcp`, {
    method: 'POST',
    headers: Object.fromEntries(given),
    body: body instanceof Buffer ? new Uint8Array(body) : null,
    signal: aborting.signal,
  })
}

/**
 * Converts errors from before the handler has parsed a request to the common error object. A
 * response to a request has its id and stays as the protocol defines it, because clients read the
 * supported revision from it. A message that is no request may have an id, too.
 *
 * @throws Rejection for a body that is no message, for a wrong content type, and for a client that
 * does not accept the response
 */
async function checkAnswered(response: Response): Promise<void> {
  if (response.status < 400) return
  const answer: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  const { id, error } = Object(answer)
  const isRequest = error?.code !== ProtocolErrorCode.InvalidRequest
  if (id !== undefined && id !== null && isRequest) return
  const detail = typeof error?.message === 'string' ? `${error.message}.` : undefined
  throw new Rejection(reasons.get(response.status) ?? 'failed', { ...(detail && { detail }) })
}

const reasons = new Map<number, RejectionReason>([
  [400, 'bad_message'],
  [406, 'not_acceptable'],
  [413, 'body_too_large'],
  [415, 'bad_media_type'],
])
