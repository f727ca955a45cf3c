import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createReceiver, type DeliveryInbox, type Observation } from '@feed-receiver/core'
import type { Database } from '@feed-receiver/database'
import { toExpress } from '@feed-receiver/express'
import express from 'express'
import { armDeath, dieAt } from './die-at.ts'
import { onTermination, reportReady, takeOrders } from './orders.ts'
import { readSettings, type MemberSettings } from './settings.ts'
import { startInbox } from './start-inbox.ts'

export type ReceiverOrder =
  | { die: 'before-insert' | 'after-first-write' | 'after-commit' | 'after-answer' }
  | { clockOffsetSeconds: number }
  | { secrets: string[] }
  | { hogSeconds: number }

/**
 * Runs a receiving app that dies, fails and stops on command. `wrap` lets a test use a broken
 * inbox.
 */
export async function runReceiver(
  wrap: (inbox: DeliveryInbox) => DeliveryInbox = (inbox) => inbox,
): Promise<void> {
  const settings = readSettings<MemberSettings>()
  let { secrets } = settings
  let clockOffsetSeconds = 0
  const { inbox, database } = await startInbox(settings)

  const receiver = createReceiver({
    secrets: () => secrets,
    secretsMaxAgeSeconds: 1,
    inbox: dying(wrap(inbox)),
    observe: createObserver(),
    now: () => Date.now() + clockOffsetSeconds * 1_000,
  })
  const app = express()
  app.use((_, response, next) => {
    response.once('finish', () => dieAt('after-answer'))
    next()
  })
  app.post('/webhooks/feed', toExpress(receiver))
  const server = createServer(app).listen(0, '127.0.0.1')
  // A connection always goes to one receiver. New connections give work to both of them.
  server.maxRequestsPerSocket = 10
  await once(server, 'listening')

  takeOrders<ReceiverOrder>(async (order) => {
    if ('die' in order) armDeath(order.die)
    if ('clockOffsetSeconds' in order) clockOffsetSeconds = order.clockOffsetSeconds
    if ('secrets' in order) secrets = order.secrets
    if ('hogSeconds' in order) void hogPool(database, order.hogSeconds)
  })
  onTermination(async () => {
    await receiver.stop()
    closeServer(server)
    await inbox.stop()
    await database.close()
  })
  reportReady((server.address() as AddressInfo).port)
}

function dying(inbox: DeliveryInbox): DeliveryInbox {
  return {
    async accept(delivery) {
      dieAt('before-insert')
      const acceptance = await inbox.accept(delivery)
      dieAt('after-commit')
      return acceptance
    },
    quarantine: (delivery, reason) => inbox.quarantine(delivery, reason),
  }
}

/** Logs unusual responses, and each change of the signing secret. */
function createObserver(): (observation: Observation) => void {
  let signer: string | undefined
  return ({ reason, status, signedBy, error }) => {
    if (reason !== 'stored' && reason !== 'duplicate') {
      console.log(`answered ${status} ${reason} ${error instanceof Error ? error.message : ''}`)
    }
    if (signedBy === undefined || signedBy === signer) return
    signer = signedBy
    console.log(`signed by ${signedBy}`)
  }
}

/** Runs twice as many statements as the pool has connections, so that other callers must wait. */
async function hogPool(database: Database, seconds: number): Promise<void> {
  const calls = Array.from({ length: 20 }, () =>
    database.query('select pg_sleep($1)', [seconds]).catch(() => undefined),
  )
  await Promise.all(calls)
}

function closeServer(server: Server): void {
  server.close()
  server.closeIdleConnections()
}
