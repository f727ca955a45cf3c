import Fastify, { type FastifyInstance } from 'fastify'
import type { Context } from './context.ts'
import { answerBrokenRequest } from './broken-request.ts'
import { keepJournal } from './request-notes.ts'
import { sendRefusal } from './send-refusal.ts'
import { answerUnroutable } from './unroutable.ts'
import { Refusal } from './refusals.ts'

/** Adds addresses to the server. */
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
