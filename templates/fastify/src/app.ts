import type { AddressInfo } from 'node:net'
import { createConsole, type ConsoleAccess } from '@feed-receiver/console'
import { createReceiver } from '@feed-receiver/core'
import { toNodeHandler } from '@feed-receiver/core/node'
import type { Database } from '@feed-receiver/database'
import { toFastify } from '@feed-receiver/fastify'
import { createInbox } from '@feed-receiver/inbox'
import Fastify, { type onRequestAsyncHookHandler } from 'fastify'
import { handlers } from './handlers.ts'
import { homePage } from './home.ts'

export interface AppOptions {
  database: Database
  secrets: string[]
  /** 0 chooses a free port. */
  port: number
  /** Access to the console at /console/; if undefined, there is no console. */
  access?: ConsoleAccess | undefined
}

export async function startApp({ database, secrets, port, access }: AppOptions) {
  const inbox = createInbox({ database })
  await inbox.start()
  await database.migrate(new URL('../sql/', import.meta.url), { schema: 'app' })
  await inbox.work(handlers)

  const receiver = createReceiver({ secrets, inbox })
  const app = Fastify()
  await app.register(toFastify(receiver), { path: '/webhooks/feed' })
  app.get('/', async (_, reply) => reply.type('text/html').send(homePage))
  app.get('/health', async (_, reply) => {
    const health = await inbox.health()
    return reply.code(health.ok ? 200 : 503).send(health)
  })
  app.get('/outages', async () => {
    const { rows } = await database.query('select * from app.outage order by observed_at desc')
    return rows
  })
  if (access) {
    const handle = toNodeHandler(createConsole({ inbox, token: access.token, readOnly: false }))
    const onRequest: onRequestAsyncHookHandler = async (request, reply) => {
      reply.hijack() // here, because the console reads bodies itself
      await handle(request.raw, reply.raw).catch((error: unknown) => {
        request.log.error(error)
        reply.raw.destroy() // Fastify does not answer after hijack()
      })
    }
    app.all('/console', { onRequest }, () => undefined)
    app.all('/console/*', { onRequest }, () => undefined)
  }

  // Listens last, because a 404 from a missing route would pause the feed.
  await app.listen({ port, host: '0.0.0.0' })

  async function stop() {
    await receiver.stop()
    await app.close()
    await inbox.stop()
    await database.close()
  }
  return { port: (app.server.address() as AddressInfo).port, inbox, stop }
}
