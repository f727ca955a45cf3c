import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Refusal } from './refusals.ts'

/**
 * Rejects each request of this scope that no route takes. Call it after the hook that checks the key
 * or the session. It rejects before Fastify reads the body, whose own errors would come first.
 */
export function refuseUnrouted(
  server: FastifyInstance,
  refuse: (request: FastifyRequest) => Refusal,
): void {
  server.addHook('onRequest', async (request) => {
    if (request.is404) throw refuse(request)
  })
  // Without a handler of its own, the scope would get the hooks of the one around it.
  server.setNotFoundHandler((request) => {
    throw refuse(request)
  })
}

/** The path of a request without its query, as the router reads it: a URL may be absolute. */
export function routedPath({ url }: Pick<FastifyRequest, 'url'>): string {
  return url.replace(/^https?:\/\/.*?\//, '/').split(/[?#]/, 1)[0] ?? ''
}
