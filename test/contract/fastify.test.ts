import { toFastify } from '@feed-receiver/fastify'
import Fastify from 'fastify'
import type { AddressInfo } from 'node:net'
import { path } from './harness.ts'
import { describeContract, describeHandlerContract } from './suite.ts'

describeContract('Fastify 5', async (receiver) => {
  const app = Fastify({ forceCloseConnections: true })
  await app.register(toFastify(receiver), { path })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { port: (app.server.address() as AddressInfo).port, close: () => app.close() }
})

describeHandlerContract('inject of Fastify', async (receiver) => {
  const app = Fastify()
  await app.register(toFastify(receiver), { path })
  return {
    async send({ method = 'POST', headers, body }) {
      const answer = await app.inject({
        method: method as 'POST',
        url: path,
        headers,
        ...(body && { payload: Buffer.from(body) }),
      })
      return {
        status: answer.statusCode,
        headers: answer.headers as Record<string, string>,
        body: answer.body,
      }
    },
    close: () => app.close(),
  }
})
