import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { admit, writeLimits } from './caller.ts'
import type { Caller } from './charging.ts'
import type { Context } from './context.ts'
import { Refusal } from './refusals.ts'

/** What an address of the API does for a request that was let through; gives the body as JSON. */
export type ApiHandler = (
  caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<string>

export interface ApiRoute {
  path: string
  answer: ApiHandler
}

/**
 * The addresses that take an API key. Every request to any of them is let through or refused first;
 * whatever else happens to it then has been paid for (R225, R231).
 */
export function addApiRoutes(
  server: FastifyInstance,
  context: Context,
  routes: readonly ApiRoute[],
): void {
  // Nothing here reads a body (R6), so none is parsed and none can be refused.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', (_request, _body, done) => done(null))

  const patterns = routes.map(({ path }) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`))
  for (const { path, answer } of routes) {
    server.get(path, async (request, reply) => {
      const caller = await admit(context, request)
      void reply.header('Cache-Control', 'no-store').type('application/json')
      const body = await answer(caller, request, reply)
      writeLimits(reply, caller)
      return Buffer.from(body)
    })
  }
  server.setNotFoundHandler(async (request) => {
    await admit(context, request)
    const [path = ''] = request.url.slice(server.prefix.length).split('?')
    if (!patterns.some((pattern) => pattern.test(path))) throw new Refusal('not_found')
    throw new Refusal('bad_method', { headers: { Allow: 'GET, HEAD' } })
  })
}
