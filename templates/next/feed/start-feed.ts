import { findHandler, type Handler } from '@feed-receiver/inbox'
import { feed } from './feed'

export async function startFeed({ migrations = 'sql' } = {}) {
  await feed.inbox.start() // first: deliveries wait for it, no longer than their deadline
  await feed.database.migrate(migrations, { schema: 'app' })
  const isDevelopment = process.env.NODE_ENV === 'development'
  await feed.inbox.work(isDevelopment ? { '*': handleAsOfNow } : feed.handlers)
}

export async function stopFeed() {
  await feed.receiver.stop()
  await feed.inbox.stop()
  await feed.database.close()
}

/** The worker outlives changes of the code, so it asks each time for what is to be done. */
const handleAsOfNow: Handler = (event, context) =>
  findHandler(feed.handlers, event.type)?.(event, context)
