import type { IncomingHttpHeaders } from 'node:http'
import { createReceiver } from '@feed-receiver/core'
import { createInbox } from '@feed-receiver/inbox'
import { verifyByHand } from './contenders/hand-written.ts'
import type { ContenderName } from './contenders/contenders.ts'
import { openContender } from './contenders/open-contender.ts'
import { concurrency, type Handle, type ContenderSettings } from './contenders/contender.ts'

export const secret = 'feed_whsec_benchmark_0123456789abcdef'

/** `pg-boss-notify` is pg-boss with LISTEN and NOTIFY. */
export type HandleContenderName = ContenderName | 'pg-boss-notify'

/** A contender in a comparison of handlers. */
export interface HandleContender {
  /** Verifies and stores a delivery. Throws if it is not accepted. */
  accept(headers: IncomingHttpHeaders, body: Buffer): Promise<void>
  /** Handles accepted events, four at a time. */
  work(handle: Handle): Promise<void>
  stop(): Promise<void>
}

export async function openHandleContender(
  name: HandleContenderName,
  settings: Pick<ContenderSettings, 'databaseUrl' | 'redisUrl'>,
): Promise<HandleContender> {
  if (name === 'feed-receiver') return await openFeedReceiver(settings.databaseUrl)
  const notifies = name === 'pg-boss-notify'
  const contender = await openContender(notifies ? 'pg-boss' : name, {
    ...settings,
    name,
    notifies,
  })
  const { keep, work, stop } = contender
  return {
    async accept(headers, body) {
      const { status, event } = verifyByHand(secret, headers, body)
      if (!event) throw new Error(`The delivery was answered with ${status}.`)
      await keep(event, body)
    },
    work,
    stop,
  }
}

async function openFeedReceiver(database: string): Promise<HandleContender> {
  const inbox = createInbox({ database })
  await inbox.start()
  const receiver = createReceiver({ secrets: [secret], inbox })
  return {
    async accept(headers, body) {
      const { status } = await receiver.receive({ method: 'POST', headers, body })
      if (status !== 202) throw new Error(`The delivery was answered with ${status}.`)
    },
    async work(handle) {
      await inbox.work(
        { '*': (event, { tx }) => handle(event, (text, values) => tx.query(text, values)) },
        { concurrency },
      )
    },
    stop: () => inbox.stop(),
  }
}
