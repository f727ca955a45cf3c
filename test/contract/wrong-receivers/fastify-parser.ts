import { createServer, type Server } from 'node:http'
import Fastify from 'fastify'
import { path } from './make-receiver.ts'
import { rightSteps, type ReceiverOptions } from './right-steps.ts'

/** Leaves content types and JSON to Fastify, whose parsers answer 400 and 415. */
export function fastifyParser(options: ReceiverOptions): Server {
  const { readSignature, isSigned, isInTime } = rightSteps(options)
  const { secrets, store } = options
  const app = Fastify({ bodyLimit: 2_000_000 })
  const bodies = new WeakMap<object, Buffer>()
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    bodies.set(request, body as Buffer)
    void parse(request, body.toString(), done)
  })
  app.post<{ Body: { id: string } }>(path, async (request, reply) => {
    const header = request.headers['feed-signature']
    const signature = readSignature(typeof header === 'string' ? header : undefined)
    const body = bodies.get(request) ?? Buffer.alloc(0)
    if (!signature || !isSigned(signature, body, secrets)) return reply.code(401).send()
    if (!isInTime(signature)) return reply.code(503).send()
    const { id } = request.body
    if (request.headers['feed-event-id'] !== id) return reply.code(202).send()
    return reply.code((await store.insertOnce(id)) ? 202 : 200).send()
  })
  return createServer((request, response) => {
    void app.ready().then(() => app.routing(request, response))
  })
}
