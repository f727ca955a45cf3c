import { codeOf } from '@feed-receiver/core/internal'
import { InboxError, type Inbox } from '@feed-receiver/inbox'
import type { ShardChoice } from './choose-shard.ts'
import { ShardError } from './errors.ts'

/** One shard of an inbox. */
export interface Shard<AppTx = never> {
  index: number
  inbox: Inbox<AppTx>
  /** Waits while it is being opened; rejects if that fails. */
  whenOpen: () => Promise<void>
}

/** All shards of an inbox. */
export interface Shards<AppTx = never> {
  all: readonly Shard<AppTx>[]
  choice: ShardChoice
  /** Whether the subject of an event decides its shard. Known once a shard is open. */
  isOrdered: () => boolean
}

/**
 * Queries shards concurrently, and returns their answers in their order. If one fails, the whole
 * query fails, because a partial answer would look complete. Errors: `shard_failed`.
 */
export async function askAll<AppTx, Answer>(
  { all }: Shards<AppTx>,
  ask: (shard: Shard<AppTx>) => Promise<Answer>,
  asked: readonly Shard<AppTx>[] = all,
): Promise<Answer[]> {
  const answers = await Promise.allSettled(asked.map((shard) => askOne(shard, all.length, ask)))
  return answers.map((answer) => {
    if (answer.status === 'rejected') throw answer.reason
    return answer.value
  })
}

async function askOne<AppTx, Answer>(
  shard: Shard<AppTx>,
  count: number,
  ask: (shard: Shard<AppTx>) => Promise<Answer>,
): Promise<Answer> {
  try {
    await shard.whenOpen()
    return await ask(shard)
  } catch (error) {
    // These already say everything.
    if (error instanceof InboxError || error instanceof ShardError) throw error
    throw new ShardError(
      'shard_failed',
      `Shard ${shard.index + 1} of ${count} does not answer (${codeOf(error) ?? String(error)}), so the result would be incomplete. The other shards still receive and handle events; try again when its database runs.`,
      { cause: error },
    )
  }
}

/** Adds the shard to a message. People count from 1. */
export function nameShard(message: string, index: number, count: number): string {
  return `Shard ${index + 1} of ${count}: ${message}`
}
