import { feed } from './feed'
import { handlers } from './handlers'

export async function startFeed() {
  try {
    await feed.inbox.start()
    // If a scheduler is configured, app/cron/feed handles events instead.
    if (!process.env.CRON_SECRET) await feed.inbox.work(handlers)
  } catch (error) {
    // Next would continue without it, and answer every request with 500 until a restart.
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
