import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Rejection } from './rejections.ts'

// Both reject before Fastify reads the body, whose own errors would come first.

/**
 * Rejects each request of this scope that no route takes. Call it after the hook that checks the key
 * or the session.
 */
export function rejectUnrouted(server: FastifyInstance): void {
  server.addHook('onRequest', async (request) => {
    if (request.is404) throw new Rejection('not_found')
  })
  // Without a handler of its own, the scope would get the hooks of the one around it.
  server.setNotFoundHandler(() => {
    throw new Rejection('not_found')
  })
}

/** Rejects every other method at this address. */
export function rejectOtherMethods(
  server: FastifyInstance,
  url: string,
  allow: 'GET, HEAD' | 'POST',
): void {
  const allowed = allow.split(', ')
  const reject = () => {
    throw badMethod(allow)
  }
  server.route({
    method: server.supportedMethods.filter((method) => !allowed.includes(method)),
    url,
    onRequest: async () => reject(),
    handler: reject,
  })
}

export function badMethod(allow: 'GET, HEAD' | 'POST'): Rejection {
  const detail = `This address accepts only ${allow.replace(', ', ' and ')}.`
  return new Rejection('bad_method', { detail, headers: { Allow: allow } })
}

/** The path of a request without its query, as the router reads it: a URL may be absolute. */
export function routedPath({ url }: FastifyRequest): string {
  return url.replace(/^https?:\/\/.*?\//, '/').split(/[?#]/, 1)[0] ?? ''
}
