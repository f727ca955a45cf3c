import { setTimeout as delay } from 'node:timers/promises'
import { createSender, fixture } from '@feed-receiver/sender'
import { startCommand, type RunningProgram } from '../../support/start-program.ts'
import type { Release } from './make-app.ts'

const secret = 'feed_whsec_upgrade_0123456789abcdef'

/** The app of a release, with what it printed first: its port, or the error that ended it. */
export interface ReleaseApp extends RunningProgram {
  said: string
}

/** Starts the app of a release, and resolves when it receives or has failed to start. */
export async function startRelease(
  path: string,
  url: string,
  release: Release,
): Promise<ReleaseApp> {
  const app = startCommand(process.execPath, [path, url, release], {
    env: { ...process.env, FEED_SIGNING_SECRET: secret },
    showsErrors: true,
  })
  return Object.assign(app, { said: await app.nextLine() })
}

/** Delivers events to whichever app has the port at the moment, each until it is acknowledged. */
export function startTraffic(port: () => string, paceMs: number) {
  const sender = createSender({ secret })
  const acknowledged = new Set<string>()
  let retries = 0

  return {
    acknowledged,
    retries: () => retries,
    async send(ids: readonly string[]) {
      const deliveries: Promise<void>[] = []
      for (const id of ids) {
        deliveries.push(deliver(id))
        await delay(paceMs)
      }
      await Promise.all(deliveries)
    },
    close: () => sender.close(),
  }

  async function deliver(id: string): Promise<void> {
    const event = fixture('model_release', { id })
    for (let attempt = 1; attempt <= 100; attempt += 1) {
      const to = `http://127.0.0.1:${port()}/webhooks/feed`
      const { status } = await sender.attempt(event, { to, attempt: 1 })
      if (status !== null && status >= 200 && status < 300) {
        acknowledged.add(id)
        return
      }
      retries += 1
      await delay(200)
    }
    throw new Error(`${id} was not acknowledged after 100 attempts`)
  }
}
