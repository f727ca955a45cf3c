import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { createSender, fixture } from '@feed-receiver/sender'
import type { Release } from './make-app.ts'

const secret = 'feed_whsec_upgrade_0123456789abcdef'

export interface App {
  /** What it prints first: its port, or the error that ended it. */
  said: string
  kill(signal: NodeJS.Signals): void
  /** Its exit code, or the signal that ended it. */
  ended: Promise<number | string>
}

/** Starts the app of a release, and resolves when it receives or has failed to start. */
export async function startApp(path: string, url: string, release: Release): Promise<App> {
  const child = spawn(process.execPath, [path, url, release], {
    env: { ...process.env, FEED_SIGNING_SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal)
  const lines = createInterface({ input: child.stdout })
  const [said] = await once(lines, 'line')
  return { said, ended, kill: (signal) => void child.kill(signal) }
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
