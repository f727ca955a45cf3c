export { shardInbox } from './shard-inbox.ts'
export type { ShardedInbox, ShardOptions } from './shard-inbox.ts'
export type { PreviousShards } from './choose-shard.ts'
export { readShards } from './read-shards.ts'
export type { NamedShards } from './read-shards.ts'

export { citusDatabase } from './citus-database.ts'
export { placeOnCitus } from './place-on-citus.ts'

export type { ShardError, ShardErrorCode } from './errors.ts'
