import { findHandler, type Handler } from '@feed-receiver/inbox'
import { feed } from './feed'

export async function startFeed({ migrations = 'sql' } = {}) {
  await feed.inbox.start() // first, because deliveries wait for it up to their deadline
  await feed.database.migrate(migrations, { schema: 'app' })
  const isDevelopment = process.env.NODE_ENV === 'development'
  const handlers = isDevelopment ? { '*': handleAsOfNow } : feed.handlers
  await feed.inbox.work(handlers)
}

export async function stopFeed() {
  await feed.receiver.stop()
  await feed.inbox.stop()
  await feed.database.close()
}

/**
 * The worker survives code changes, so it looks up the current handler for each event. Next loads a
 * changed one with the next request to the route, which no retry would send.
 */
const handleAsOfNow: Handler = async (event, context) => {
  const route = `http://localhost:${process.env.PORT ?? 3000}/webhooks/feed`
  if (context.attempt > 1) {
    await fetch(route, { method: 'HEAD', signal: context.signal }).catch(() => undefined)
  }
  await findHandler(feed.handlers, event.type)?.(event, context)
}
