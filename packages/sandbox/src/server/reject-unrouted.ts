import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Rejection } from './rejections.ts'

/**
 * Rejects each request of this scope that no route takes. Call it after the hook that checks the key
 * or the session. It rejects before Fastify reads the body, whose own errors would come first.
 */
export function rejectUnrouted(
  server: FastifyInstance,
  toRejection: (request: FastifyRequest) => Rejection,
): void {
  server.addHook('onRequest', async (request) => {
    if (request.is404) throw toRejection(request)
  })
  // Without a handler of its own, the scope would get the hooks of the one around it.
  server.setNotFoundHandler((request) => {
    throw toRejection(request)
  })
}

/** The path of a request without its query, as the router reads it: a URL may be absolute. */
export function routedPath({ url }: Pick<FastifyRequest, 'url'>): string {
  return url.replace(/^https?:\/\/.*?\//, '/').split(/[?#]/, 1)[0] ?? ''
}
