import { feed } from './feed'
import { handlers } from './handlers'

export async function startFeed({ migrations = 'sql' } = {}) {
  await feed.database.migrate(migrations, { schema: 'app' })
  await feed.inbox.start()
  await feed.inbox.work(handlers)
}

export async function stopFeed() {
  await feed.receiver.stop()
  await feed.inbox.stop()
  await feed.database.close()
}
