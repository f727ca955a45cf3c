import type { Receiver } from '@feed-receiver/core'
import { fromNode } from '@feed-receiver/core/node'
import type { FastifyPluginCallback } from 'fastify'

/**
 * Mounts a receiver in a Fastify app:
 * `app.register(toFastify(receiver), { path: '/webhooks/feed' })`.
 */
export function toFastify(receiver: Receiver): FastifyPluginCallback<{ path: string }> {
  return (app, { path }, done) => {
    app.all(path, {
      // A hook answers, because it runs before the body parsers of the app; the handler never runs.
      onRequest: async (request, reply) => {
        const delivery = fromNode(request.raw)
        const { status, headers, body } = await receiver.receive(delivery)
        return reply.code(status).headers(headers).send(body)
      },
      handler: () => {},
    })
    done()
  }
}
