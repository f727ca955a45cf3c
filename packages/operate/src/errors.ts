import { isError, recognizeCopies } from '@feed-receiver/core'

export type OperateErrorCode =
  /** An option is invalid. The message names it and says which values are allowed. */
  | 'bad_option'
  /** The content of the event is no longer stored, because prune deleted it. */
  | 'content_pruned'
  /** A handler connected to something, which its rehearsal forbids. */
  | 'network_forbidden'
  /** There is no inbox in the database or the folder. */
  | 'no_inbox'
  /** An alert could not be sent, or sending it timed out. A later check sends it again. */
  | 'not_sent'
  /** The statement cannot be signed: a day of it is not sealed, or its chain differs. The message says which. */
  | 'not_sealed'
  /** The option transaction uses another database than the option database. */
  | 'other_database'
  /** A transaction may be committed although its rehearsal failed, so the rehearsal stopped. */
  | 'rehearsal_kept'
  /** A handler ended its transaction itself, so later writes may be committed. The rehearsal stopped. */
  | 'rehearsal_left'
  /** No entry has this event id. */
  | 'unknown_event'

/** Where the documentation explains each code. */
const entries = 'https://feed-receiver.github.io/feed-receiver/reference/errors#operate-'

/** An error of alerts, an audit, a rehearsal or a reproduction. Its message says what to do next. */
export class OperateError extends Error {
  static {
    recognizeCopies(this, 'OperateError')
  }

  override name = 'OperateError'
  readonly code: OperateErrorCode

  constructor(code: OperateErrorCode, message: string, options?: ErrorOptions) {
    super(`${message} More: ${entries}${code}`, options)
    this.code = code
  }
}

/** Throws `bad_option` with this message if an option is invalid. */
export function checkOption(isFine: boolean, message: string): void {
  if (!isFine) throw new OperateError('bad_option', message)
}

/** The code of an error, if it has one. */
export function codeOf(error: unknown): string | undefined {
  return isError(error) && 'code' in error ? String(error.code) : undefined
}

/** Whether PostgreSQL cancelled a statement because of its timeout. */
export function hasTimedOut(error: unknown): boolean {
  return codeOf(error) === '57014'
}
