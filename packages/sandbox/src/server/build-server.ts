import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { admit } from './api-routes.ts'
import type { Context } from './context.ts'
import { sendRefusal, writeJournal } from './answered.ts'
import { Refusal, refusals, type RefusalReason } from './refusals.ts'
import { checkHost } from './session.ts'

/** The server with all of its addresses; it does not listen yet. */
export async function buildServer(
  context: Context,
  surfaces: Record<string, (server: FastifyInstance, context: Context) => void>,
): Promise<FastifyInstance> {
  const server = Fastify({
    bodyLimit: 1_048_576,
    // The longest cursor that a client may try is then refused by its own rule and not by Node's.
    http: { maxHeaderSize: 262_144, requireHostHeader: false },
    requestTimeout: 30_000,
    forceCloseConnections: true,
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (error, request, reply) =>
      void answerUnroutable(context, error, request, reply),
  })
  // Node would answer both of these without a body.
  server.server.on('checkExpectation', (request, response) => {
    server.server.emit('request', request, response)
  })
  server.addHook('onRequest', async ({ headers, raw }) => {
    if (headers.host === undefined && raw.httpVersion === '1.1') throw new Refusal('bad_http')
  })
  server.addHook('onResponse', async (request, reply) => writeJournal(context, request, reply))
  server.setErrorHandler((error, request, reply) => sendRefusal(context, error, request, reply))
  server.setNotFoundHandler(() => {
    throw new Refusal('not_found')
  })
  for (const [prefix, addRoutes] of Object.entries(surfaces)) {
    await server.register(async (scope) => addRoutes(scope, context), { prefix })
  }
  await server.ready()
  return server
}

/**
 * Answers an address that the router gave up on: a percent sign that begins no character, or a part
 * that is too long. Below /v1 and /mcp a key is asked for first, and charged, as anywhere else there.
 */
async function answerUnroutable(
  context: Context,
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  try {
    const isMcp = request.url.startsWith('/mcp/')
    if (isMcp) checkHost(context, request)
    if (isMcp || request.url.startsWith('/v1/')) await admit(context, request)
    // A reference of no such form is one that does not exist (R137).
    if (request.url.startsWith('/v1/account-events/')) throw new Refusal('account_event_missing')
    throw error
  } catch (refused) {
    sendRefusal(context, refused, request, reply)
  }
  // No hooks are run for these.
  writeJournal(context, request, reply)
}

/** Answers what Node could not read as a request, in the one shape of errors. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const { status, code, error: text } = refusals[reasons[error.code ?? ''] ?? 'bad_http']
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

const reasons: Record<string, RefusalReason> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}
