import type { FastifyInstance } from 'fastify'
import { Rejection } from './rejections.ts'

// Both reject before Fastify reads the body, whose own errors would come first.

/**
 * Rejects each request of this scope that no route takes. Call it after the hook that checks the key
 * or the session.
 */
export function rejectUnrouted(server: FastifyInstance): void {
  const reject = () => {
    throw new Rejection('not_found')
  }
  server.addHook('onRequest', async (request) => {
    if (request.is404) reject()
  })
  // Without a handler of its own, the scope would get the hooks of the one around it.
  server.setNotFoundHandler(reject)
}

/** Rejects every other method at this address. */
export function rejectOtherMethods(
  server: FastifyInstance,
  url: string,
  allow: 'GET, HEAD' | 'POST',
): void {
  const allowed = allow.split(', ')
  const detail = `This address accepts only ${allowed.join(' and ')}.`
  const reject = () => {
    throw new Rejection('bad_method', { detail, headers: { Allow: allow } })
  }
  server.route({
    method: server.supportedMethods.filter((method) => !allowed.includes(method)),
    url,
    onRequest: async () => reject(),
    handler: reject,
  })
}
