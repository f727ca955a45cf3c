import { codeOf } from '@feed-receiver/core'
import { hash, randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { Database } from '@feed-receiver/database'
import type { FastifyInstance } from 'fastify'
import { accountEventRoute, accountEventsRoute } from './account-events/account-event-routes.ts'
import { createAccount, firstAccount } from './state/accounts.ts'
import { createClock } from './state/clock.ts'
import type { Context } from './server/context.ts'
import { addControlRoutes } from './control/control-routes.ts'
import { createControl } from './control/control.ts'
import { applyStrict, seedSandbox } from './control/history.ts'
import { SandboxError } from './errors.ts'
import { addPublicRoutes } from './documents/public-routes.ts'
import { eventsRoute } from './events/events-route.ts'
import { createRequestJournal } from './state/request-journal.ts'
import { createCharging } from './server/charging.ts'
import type { SandboxSettings } from './options.ts'
import { startTicking } from './events/compose-event.ts'
import { addApiRoutes } from './server/api-routes.ts'
import { addMcpRoutes } from './mcp/mcp-routes.ts'
import { buildServer } from './server/build-server.ts'
import { createDeliverer } from './webhooks/deliveries/deliverer.ts'
import { enqueueDeliveries } from './webhooks/deliveries/enqueue-deliveries.ts'
import { migrations } from './migrations/index.ts'
import { initSetting } from './state/settings.ts'
import { openVault } from './state/vault.ts'

/** Starts a sandbox on this database, and closes the database when it stops. */
export async function runSandbox(settings: SandboxSettings, database: Database, isFresh: boolean) {
  const { port, host, strict, seed, tickSeconds, firstCursor, moveChanged } = settings
  if (isFresh) await database.query('drop schema if exists sandbox cascade')
  await database.migrate(migrations, { schema: 'sandbox' })
  await createAccount(database, firstAccount)

  let url = ''
  const journal = createRequestJournal(database, settings.onError)
  const clock = createClock(database)
  const context: Context = {
    ...settings,
    database,
    behaviour: { firstCursor, moveChanged },
    journal,
    clock,
    chargeRequest: createCharging(database),
    vault: await openVault(database, settings.key),
    onPublish: [],
    cursorKey: await initSetting(database, 'cursor_key', randomBytes(32)),
    // From the seed, so that seeded events have the same references in every sandbox.
    referenceKey: await initSetting(
      database,
      'reference_key',
      hash('sha256', `references ${seed}`, 'buffer'),
    ),
    baseUrl: () => url,
  }
  const deliverer = createDeliverer(context)
  context.onPublish.push(async (tx, published) => {
    await enqueueDeliveries(tx, published)
    tx.afterCommit(() => deliverer.wake())
  })
  const unfollow = clock.onMove(() => deliverer.wake())
  if (strict) await applyStrict(context)
  const acting = { ...context, deliverer }
  const control = createControl(acting)
  await seedSandbox(context)
  const routes = [eventsRoute(context), accountEventsRoute(context), accountEventRoute(context)]
  const server = await buildServer(context, {
    '': addPublicRoutes,
    '/v1': (scope) => addApiRoutes(scope, context, routes),
    '/mcp': addMcpRoutes,
    '/_sandbox': (scope) => addControlRoutes(scope, acting),
  })
  await listen(server, port, host)
  url = urlOf(server, host)
  try {
    await deliverer.start()
  } catch (error) {
    await server.close()
    throw error
  }
  const ticking = tickSeconds === undefined ? undefined : startTicking(context, tickSeconds)

  return {
    url,
    control,
    async stop() {
      await ticking?.stop()
      await server.close()
      unfollow()
      await deliverer.stop()
      await journal.flush()
      await database.close()
    },
  }
}

async function listen(server: FastifyInstance, port: number, host: string): Promise<void> {
  try {
    await server.listen({ port, host })
  } catch (error) {
    await server.close()
    if (codeOf(error) !== 'EADDRINUSE') throw error
    throw new SandboxError(
      'port_taken',
      `Port ${port} is taken. Stop the process that listens there, or choose another port.`,
      { cause: error },
    )
  }
}

function urlOf(server: FastifyInstance, host: string): string {
  const address: AddressInfo | string | null = server.server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}
