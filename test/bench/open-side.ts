import type { IncomingHttpHeaders } from 'node:http'
import { createReceiver } from '@feed-receiver/core'
import { createInbox } from '@feed-receiver/inbox'
import { verifyByHand } from './contenders/hand-written.ts'
import { rivals, type RivalName } from './contenders/open-rival.ts'
import { concurrency, type Handle, type RivalSettings } from './contenders/rival.ts'

export const secret = 'feed_whsec_benchmark_0123456789abcdef'

/** One side of a comparison of handlers. `pg-boss-notify` is pg-boss with LISTEN and NOTIFY. */
export type SideName = 'ours' | RivalName | 'pg-boss-notify'

export interface Side {
  /** Verifies and stores a delivery. Throws if it is not accepted. */
  accept(headers: IncomingHttpHeaders, body: Buffer): Promise<void>
  /** Handles accepted events, four at a time. */
  work(handle: Handle): Promise<void>
  stop(): Promise<void>
}

export async function openSide(
  way: SideName,
  settings: Pick<RivalSettings, 'databaseUrl' | 'redisUrl'>,
): Promise<Side> {
  if (way === 'ours') return await openOurs(settings.databaseUrl)
  const notifies = way === 'pg-boss-notify'
  const open = rivals[notifies ? 'pg-boss' : way]
  const { keep, work, stop } = await open({ ...settings, name: way, notifies })
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

async function openOurs(database: string): Promise<Side> {
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
