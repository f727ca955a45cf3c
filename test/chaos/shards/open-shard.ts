import type { InboxOptions } from '@feed-receiver/inbox'
import { citusDatabase } from '@feed-receiver/shards'

/** The database of a shard. Its handlers write into the table `handled` there. */
export interface NamedShard {
  database: string
  schema?: string
  isOnCitus?: boolean
}

/** The options of the inbox of a shard. */
export function openShard({ database, schema, isOnCitus }: NamedShard): InboxOptions {
  return {
    database: isOnCitus === true ? citusDatabase(database) : database,
    ...(schema !== undefined && { schema }),
  }
}
