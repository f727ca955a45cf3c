/**
 * A Fastify route that answers each cursor with a text. It reads both as a JSON object from its
 * input, and prints its port.
 */
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import Fastify from 'fastify'

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const { value } = await lines.next()
const bodies = new Map(Object.entries(JSON.parse(String(value)) as Record<string, string>))
const server = Fastify()
server.get<{ Querystring: { cursor: string } }>('/v1/events', async ({ query }, reply) => {
  return await reply.type('application/json').send(bodies.get(query.cursor))
})
await server.listen({ port: 0, host: '127.0.0.1' })
console.log((server.server.address() as AddressInfo).port)
