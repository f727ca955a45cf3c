import type { Database } from '@feed-receiver/database'
import { openQueue } from '../../packages/inbox/src/queue/open-queue.ts'
import type { Queue } from '../../packages/inbox/src/queue/queue.ts'

/** Opens the queue of the source `feed`, without an inbox. Its background errors are expected. */
export async function openTestQueue(database: Database, schema = 'feed_inbox'): Promise<Queue> {
  const boss = database.bossOptions()
  return await openQueue({ name: 'feed', schema, boss, migrate: true, onError: () => {} })
}
