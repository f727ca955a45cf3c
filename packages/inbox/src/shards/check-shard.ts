import type { Inbox } from '../create-inbox.ts'
import { problem } from '../errors.ts'
import type { ShardChoice } from './choose-shard.ts'

/** How many of the newest entries of a shard are checked. */
const looked = 100
/** The minimum number of entries for a verdict. */
const fewest = 10
/**
 * The share of misplaced ones from which on the list is wrong. Where there were fewer shards before, a
 * process that came too late leaves some, and to close a shard over these would help nobody.
 */
const mostMisplaced = { now: 0.1, withPrevious: 0.9 }

/**
 * Sees whether the newest entries of a shard belong there: a list in another order, or one more shard
 * without `previous`, would store repeats a second time. Gives what to tell where only some do not. Errors: `wrong_shard`.
 */
export async function checkShard<AppTx>(
  inbox: Inbox<AppTx>,
  choice: ShardChoice,
  index: number,
  count: number,
): Promise<Error | undefined> {
  const { entries } = await inbox.entries.list({ limit: looked })
  const misplaced = entries.filter((entry) => choice.ofEntry(entry) !== index).length
  if (misplaced === 0) return undefined
  const shard = index + 1
  const most = choice.hasPrevious ? mostMisplaced.withPrevious : mostMisplaced.now
  if (entries.length >= fewest && misplaced > most * entries.length) {
    throw problem('wrong_shard', { shard, count })
  }
  return problem('shard_misplaced', { shard, count, misplaced, looked: entries.length })
}
