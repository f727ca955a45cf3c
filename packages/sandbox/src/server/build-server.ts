import { METHODS } from 'node:http'
import type { Duplex } from 'node:stream'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { admit } from './api-routes.ts'
import type { Context } from './context.ts'
import { writeJournal } from './request-notes.ts'
import { sendRejection } from './send-rejection.ts'
import { Rejection, rejections, type RejectionReason } from './rejections.ts'
import { routedPath } from './reject-unrouted.ts'
import { checkHost, checkSession } from './session.ts'

/** Builds the server with all its routes. It does not listen yet. */
export async function buildServer(
  context: Context,
  surfaces: Record<string, (server: FastifyInstance, context: Context) => void>,
): Promise<FastifyInstance> {
  const server = Fastify({
    bodyLimit: 1_048_576,
    // Large enough for the longest possible cursor, so that its own rule rejects it and not Node's
    // limit.
    http: { maxHeaderSize: 262_144, requireHostHeader: false },
    // So that a reference of any length has an answer of its own.
    routerOptions: { maxParamLength: 262_144 },
    requestTimeout: 30_000,
    forceCloseConnections: true,
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (error, request, reply) =>
      void answerUnroutable(context, error, request, reply),
  })
  // Node would respond to both of these without a body.
  server.server.on('checkExpectation', (request, response) => {
    server.server.emit('request', request, response)
  })
  server.server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy()).resume()
    // Node no longer ends such a connection by itself.
    setTimeout(() => socket.destroy(), 1_000).unref()
    sendBrokenRequest('bad_http', socket)
  })
  // So that an address can reject every method.
  for (const method of METHODS) {
    if (!server.supportedMethods.includes(method)) server.addHttpMethod(method)
  }
  server.addHook('onRequest', async ({ headers, raw }) => {
    if (headers.host === undefined && raw.httpVersion === '1.1') throw new Rejection('bad_http')
  })
  server.addHook('onResponse', async (request, reply) => writeJournal(context, request, reply))
  server.setErrorHandler((error, request, reply) => sendRejection(context, error, request, reply))
  for (const [prefix, addRoutes] of Object.entries(surfaces)) {
    await server.register(async (scope) => addRoutes(scope, context), { prefix })
  }
  await server.ready()
  return server
}

/**
 * Responds to a URL that the router rejects, with invalid percent-encoding. Below /v1 and /mcp a key
 * is required and charged first, and below /_sandbox the session, as for every other URL there.
 */
async function answerUnroutable(
  context: Context,
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  try {
    const path = routedPath(request)
    const isMcp = path.startsWith('/mcp/')
    if (isMcp) checkHost(context, request)
    if (isMcp || path.startsWith('/v1/')) await admit(context, request)
    if (path.startsWith('/_sandbox/')) checkSession(context, request)
    // A reference of another form is handled like one that does not exist.
    if (path.startsWith('/v1/account-events/')) throw new Rejection('account_event_missing')
    throw error
  } catch (rejection) {
    sendRejection(context, rejection, request, reply)
  }
  // Fastify runs no hooks for these.
  writeJournal(context, request, reply)
}

/** Responds to bytes that Node could not parse as a request, with the common error object. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
  else sendBrokenRequest(reasons[error.code ?? ''] ?? 'bad_http', socket)
}

function sendBrokenRequest(reason: RejectionReason, socket: Duplex): void {
  const { status, code, error: text } = rejections[reason]
  const body = JSON.stringify({ error: text, code })
  socket.end(
    [
      `HTTP/1.1 ${status} ${code}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}

const reasons: Record<string, RejectionReason> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}
