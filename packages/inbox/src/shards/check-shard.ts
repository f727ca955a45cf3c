import type { Inbox } from '../inbox.ts'
import { problem } from '../errors.ts'
import type { ShardChoice } from './choose-shard.ts'

/** How many of the newest entries of a shard are checked. */
const looked = 100
/** The minimum number of entries for a verdict. */
const fewest = 10
/**
 * The share of misplaced entries above which the list counts as wrong. With `previous`, a process
 * that started too late leaves some, and closing a shard because of them would help nobody.
 */
const mostMisplaced = { now: 0.1, withPrevious: 0.9 }

/**
 * Checks whether the newest entries of a shard belong there. A list in another order, or with one
 * more shard but without `previous`, would store duplicates. Returns an error to report if only
 * some do not belong there. Errors: `wrong_shard`.
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
