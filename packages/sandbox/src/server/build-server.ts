import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Context } from './context.ts'
import { keepJournal } from './request-notes.ts'
import { sendRefusal } from './send-refusal.ts'
import { answerUnroutable } from './unroutable.ts'
import { Refusal, refusals, type RefusalReason } from './refusals.ts'

export type AddRoutes = (server: FastifyInstance, context: Context) => void

/** The server with all of its addresses; it does not listen yet. */
export async function buildServer(
  context: Context,
  surfaces: readonly { prefix: string; addRoutes: AddRoutes }[],
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
  keepJournal(server, context)
  server.setErrorHandler((error, request, reply) => sendRefusal(context, error, request, reply))
  server.setNotFoundHandler(() => {
    throw new Refusal('not_found')
  })
  for (const { prefix, addRoutes } of surfaces) {
    await server.register(async (scope) => addRoutes(scope, context), { prefix })
  }
  await server.ready()
  return server
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
