/** A Fastify route that answers with one text, given as JSON on its input. Prints its port. */
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import Fastify from 'fastify'

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const { value } = await lines.next()
const body = JSON.parse(String(value)) as string
const server = Fastify()
server.get('/v1/events', async (_request, reply) => await reply.type('application/json').send(body))
await server.listen({ port: 0, host: '127.0.0.1' })
console.log((server.server.address() as AddressInfo).port)
