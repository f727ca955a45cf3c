import { createReceiver, secretsFromEnv } from '@feed-receiver/core'
import { feed } from './feed'
import { startFeed, stopFeed } from './start-feed'

/** Runs the feed for as long as the process lives. */
export async function run() {
  try {
    // Only to check the secrets: the receiver of the feed reads them when a delivery arrives.
    createReceiver({ secrets: secretsFromEnv(process.env), inbox: feed.inbox })
    await startFeed()
  } catch (error) {
    // Next would continue without it and answer every request with 500 until a restart.
    console.error(error)
    process.exit(1)
  }
  const { PORT = '3000' } = process.env
  if (feed.access) console.log(`Console: http://localhost:${PORT}/console${feed.access.hash}`)
  process.once('SIGTERM', () => void end())
  process.once('SIGINT', () => void end())
}

async function end() {
  await stopFeed()
  process.exit()
}
