import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { FeedEvent } from '@feed-receiver/core'
import { createSender } from '@feed-receiver/sender'
import { onTestFinished } from 'vitest'
import { startProgram } from '../support/start-program.ts'
import { copyEmbedded } from '../support/templates.ts'
import { until } from '../support/until.ts'
import { freePort } from '../support/free-port.ts'

/** A folder in which an example runs, removed after the test. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-example-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

/** Like `makeFolder`, with an embedded database that an app created there at its first start. */
export async function makeUsedFolder(): Promise<string> {
  const folder = await makeFolder()
  await copyEmbedded(join(folder, '.feed-receiver/database'), 'inbox')
  return folder
}

/**
 * Starts an example like its user, with the embedded database unless there is a URL, and waits
 * until it responds.
 */
export async function startExample(
  program: string,
  secret: string,
  folder: string,
  databaseUrl?: string,
) {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const child = startProgram(new URL(`../../examples/${program}`, import.meta.url), [], {
    cwd: folder,
    env: {
      ...process.env,
      FEED_SIGNING_SECRET: secret,
      PORT: String(port),
      DATABASE_URL: databaseUrl,
    },
  })
  onTestFinished(() => child.kill('SIGKILL'))

  const answers = () => fetch(origin).catch(() => undefined)
  const listening = until(`a response of ${program}`, answers, { withinMs: 90_000 })
  // Throws with the output of the example if it ends before it responds.
  await Promise.race([listening, child.ended.then(() => child.nextLine())])

  return {
    origin,
    nextLine: () => Promise.race([child.nextLine(), noLineOf(program)]),
    post: (path: string, type: string, body: string) =>
      fetch(origin + path, { method: 'POST', headers: { 'content-type': type }, body }),
    /** Makes one attempt like the service, and returns the status. */
    async deliver(event: FeedEvent, signedWith = secret): Promise<number | null> {
      await using sender = createSender({ secret: signedWith })
      const { status } = await sender.attempt(event, { to: `${origin}/webhooks/feed` })
      return status
    },
    stop: () => child.stop(),
  }
}

async function noLineOf(program: string): Promise<never> {
  await delay(20_000, undefined, { ref: false })
  throw new Error(`not within 20 s: a line of ${program}`)
}
