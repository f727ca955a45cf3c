import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createReceiver } from '@feed-receiver/core'
import { toNodeHandler } from '@feed-receiver/core/node'
import { signDelivery } from '@feed-receiver/core/testing'
import { createInbox } from '@feed-receiver/inbox'
import { metricsHandler } from '@feed-receiver/inbox/metrics'
import { createTarget } from '../../support/databases.ts'
import { makeEvent } from '../../contract/harness.ts'

const secret = 'feed_whsec_of_the_watched_app_0123456789'

/** Starts a working inbox with a receiver, and a route with its metrics. */
export async function startWatchedApp() {
  const { target, drop } = await createTarget('pglite')
  const inbox = createInbox({ database: target, onError: () => {} })
  await inbox.start()
  const receiver = createReceiver({ secrets: secret, inbox, observe: () => {} })
  const handle = toNodeHandler(metricsHandler(inbox))
  const server = createServer((request, response) => void handle(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  let failing = false
  await inbox.work(
    {
      '*'() {
        if (failing) throw new Error('The pager does not answer.')
      },
    },
    { onFailed: () => {}, onDead: () => {} },
  )

  return {
    inbox,
    metrics: new URL(`http://127.0.0.1:${port}/metrics`),
    /** Delivers events, and now and then a duplicate, an invalid one, and a forged one. */
    async deliver(count: number): Promise<void> {
      for (let number = 1; number <= count; number += 1) {
        const delivery = signDelivery(makeEvent(), { secret })
        await receiver.receive(delivery)
        if (number % 5 === 0) await receiver.receive(delivery)
        if (number % 20 === 0) {
          await receiver.receive(signDelivery(makeEvent(), { secret: `${secret}_other` }))
        }
      }
    },
    async deliverUnreadable(): Promise<void> {
      await receiver.receive(signDelivery({ no: 'event' }, { secret }))
    },
    /** Makes handlers fail from now on, or work again. */
    fail(isFailing: boolean): void {
      failing = isFailing
    },
    async stop() {
      server.close()
      await receiver.stop()
      await inbox.stop()
      await drop()
    },
  }
}
