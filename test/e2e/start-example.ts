import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { FeedEvent } from '@feed-receiver/core'
import { createSender } from '@feed-receiver/sender'
import { onTestFinished } from 'vitest'
import { startChild } from '../support/child.ts'
import { copyEmbedded } from '../support/templates.ts'
import { until } from '../support/until.ts'
import { freePort } from '../support/free-port.ts'

/** A folder for an example to run in, which is removed when the test is over. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-example-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

/** As `makeFolder`, with the embedded database that an app has made there on its first start. */
export async function makeUsedFolder(): Promise<string> {
  const folder = await makeFolder()
  await copyEmbedded(join(folder, '.feed-receiver/database'), 'inbox')
  return folder
}

/**
 * Starts an example as its user would, with the embedded database unless there is a URL, and waits
 * until it answers.
 */
export async function startExample(
  program: string,
  secret: string,
  folder: string,
  databaseUrl?: string,
) {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  Object.assign(process.env, { FEED_SIGNING_SECRET: secret, PORT: String(port) })
  delete process.env.DATABASE_URL
  if (databaseUrl !== undefined) process.env.DATABASE_URL = databaseUrl
  const child = startChild(new URL(`../../examples/${program}`, import.meta.url), [], folder)
  onTestFinished(() => child.kill('SIGKILL'))

  const answers = () => fetch(origin).catch(() => undefined)
  const listening = until(`an answer of ${program}`, answers, { withinMs: 90_000 })
  // Throws what the example has printed as its error, should it end before it answers.
  await Promise.race([listening, child.ended.then(() => child.nextLine())])

  return {
    origin,
    nextLine: () => Promise.race([child.nextLine(), noLineOf(program)]),
    post: (path: string, type: string, body: string) =>
      fetch(origin + path, { method: 'POST', headers: { 'content-type': type }, body }),
    /** Makes one attempt, as the service does, and gives the status of its answer. */
    async deliver(event: FeedEvent, signedWith = secret): Promise<number | null> {
      await using sender = createSender({ secret: signedWith })
      const { status } = await sender.attempt(event, { to: `${origin}/webhooks/feed` })
      return status
    },
    stop() {
      child.kill('SIGTERM')
      return child.ended
    },
  }
}

async function noLineOf(program: string): Promise<never> {
  await delay(20_000, undefined, { ref: false })
  throw new Error(`not within 20 s: a line of ${program}`)
}
