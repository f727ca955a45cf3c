import { isError, recognizeCopies } from '@feed-receiver/core'

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

/** Where the documentation explains each code. */
const entries = 'https://feed-receiver.github.io/feed-receiver/reference/errors#shards-'

/** An error of several inboxes as one, or of a placement. Its message says what to do next. */
export class ShardError extends Error {
  static {
    recognizeCopies(this, 'ShardError')
  }

  override name = 'ShardError'
  readonly code: ShardErrorCode

  constructor(code: ShardErrorCode, message: string, options?: ErrorOptions) {
    super(`${message} More: ${entries}${code}`, options)
    this.code = code
  }
}

/** Throws `bad_option` with this message if an option is invalid. */
export function checkOption(isFine: boolean, message: string): void {
  if (!isFine) throw new ShardError('bad_option', message)
}

/** The code of an error, if it has one. */
export function codeOf(error: unknown): string | undefined {
  return isError(error) && 'code' in error ? String(error.code) : undefined
}
