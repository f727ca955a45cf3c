import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient, createPoller } from '@feed-receiver/client'
import { createReceiver, toFetch } from '@feed-receiver/core'
import { toNodeHandler } from '@feed-receiver/core/node'
import type { Database } from '@feed-receiver/database'
import {
  createInbox,
  RetryAfter,
  type Handler,
  type Handlers,
  type Inbox,
} from '@feed-receiver/inbox'
import { untilIdle } from '@feed-receiver/inbox/testing'
import { afterAll, beforeAll } from 'vitest'
import { useSandbox, type TestSandbox } from '../../../packages/sandbox/test/use-sandbox.ts'
import { useDatabase } from '../../support/databases.ts'
import { until } from '../../support/until.ts'

/** An app that receives the feed of a sandbox, by push and by pull. */
export interface ReceivingApp {
  inbox: Inbox
  url: string
  /** Waits until every event of the sandbox is delivered, pulled if asked for, and handled. */
  untilHandled(options?: { pulls?: boolean }): Promise<void>
  stop(): Promise<void>
}

export const secret = 'feed_whsec_for_tests_only'

export async function receiveFeed(
  { sandbox, key }: TestSandbox,
  database: Database,
  handlers: Handlers,
): Promise<ReceivingApp> {
  const { control } = sandbox
  const inbox = createInbox({ database, ordered: 'subject' })
  await inbox.start()
  await inbox.work(retriedSoon(handlers), { onFailed: () => {} })
  const receiver = createReceiver({ secrets: [secret], inbox })
  const handle = toNodeHandler(toFetch(receiver))
  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  await control.forwardTo({ url, secret })
  const client = createClient({ baseUrl: sandbox.url, apiKey: key })
  const poller = createPoller({ client, inbox, filter: { confirmation: 'all' } })

  return {
    inbox,
    url,
    async untilHandled({ pulls = false } = {}) {
      await until('every delivery is accepted', async () => {
        const deliveries = await control.listDeliveries({})
        return deliveries.every(({ state }) => state === 'delivered')
      })
      if (pulls) await poller.poll()
      await until('every event is handled', async () => {
        await untilIdle(inbox)
        return (await inbox.entries.count({ state: 'received' })).count === 0
      })
    },
    async stop() {
      await receiver.stop()
      server.closeAllConnections()
      server.close()
      await poller.stop()
      await inbox.stop()
    },
  }
}

/** The app of all tests of a file with one recipe, which receives a feed without a history. */
export function useReceivingApp(
  kind: Parameters<typeof useDatabase>[0],
  createHandlers: (options: { database: Database }) => Promise<Handlers>,
) {
  const sandbox = useSandbox({ historyDays: 0 })
  const database = useDatabase(kind, 'inbox')
  let app: ReceivingApp
  beforeAll(async () => {
    const handlers = await createHandlers({ database: database() })
    app = await receiveFeed(sandbox(), database(), handlers)
  })
  afterAll(() => app.stop())
  return { sandbox, database, app: () => app }
}

/** Retries after a second in place of the backoff, and never before the time that a service asks for. */
function retriedSoon(handlers: Handlers): Handlers {
  const soon =
    (handler: Handler): Handler =>
    async (event, context) => {
      try {
        await handler(event, context)
      } catch (error) {
        throw error instanceof RetryAfter ? error : new RetryAfter(1, String(error))
      }
    }
  const { futureTypes = {}, ...byType } = handlers
  const wrap = (given: object) =>
    Object.fromEntries(Object.entries(given).map(([type, handler]) => [type, soon(handler)]))
  return { ...wrap(byType), futureTypes: wrap(futureTypes) }
}
