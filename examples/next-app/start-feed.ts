import { feed } from './feed'
import { handlers } from './handlers'

export async function startFeed() {
  try {
    await feed.inbox.start()
    // With a scheduler, app/cron/feed works instead.
    if (!process.env.CRON_SECRET) await feed.inbox.work(handlers)
  } catch (error) {
    // Next would go on without it, and answer every request with 500 until it is restarted.
    console.error(error)
    process.exit(1)
  }
  process.once('SIGTERM', () => void stop())
}

async function stop() {
  await feed.receiver.stop()
  await feed.inbox.stop()
  process.exit()
}
