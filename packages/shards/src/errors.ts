import { errorWithCode, optionCheck, recognizeCopies } from '@feed-receiver/core/internal'
import { InboxError, type InboxErrorCode } from '@feed-receiver/inbox'

export type ShardErrorCode =
  /** An option of shardInbox, or the text that readShards gets, is invalid. The message names it. */
  | 'bad_option'
  /** The database is no coordinator of Citus, or was not opened by citusDatabase. */
  | 'no_citus'
  /** A shard did not answer, so the result would be incomplete. The other shards still receive and handle events; try again when its database runs. */
  | 'shard_failed'
  /** Some of the latest events of a shard belong to other shards. Goes to onError. Check that every process lists the same inboxes with the same previous, and that all started before its until. */
  | 'shard_misplaced'
  /** A shard holds events of other shards. List the inboxes in their original order with new ones at the end, and set previous to the earlier number. */
  | 'wrong_shard'

/** An error of several inboxes as one, or of a placement. Its message says what to do next. */
export class ShardError extends errorWithCode<ShardErrorCode>('shards') {
  static {
    recognizeCopies(this, 'ShardError')
  }

  override name = 'ShardError'
}

/** Throws `bad_option` with this message if an option is invalid. */
export const checkOption = optionCheck(ShardError)

const mistakes: readonly InboxErrorCode[] = [
  'already_working',
  'bad_handler',
  'bad_option',
  'inside_tx',
  'not_running',
  'unknown_limit',
]

/** Whether the caller has made a mistake, which every shard rejects. Other errors are of one shard. */
export function isMistake(error: unknown): boolean {
  return error instanceof InboxError && mistakes.includes(error.code)
}
