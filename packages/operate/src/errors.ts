import { errorWithCode, optionCheck, recognizeCopies } from '@feed-receiver/core/internal'

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

/** An error of alerts, an audit, a rehearsal or a reproduction. Its message says what to do next. */
export class OperateError extends errorWithCode<OperateErrorCode>('operate') {
  static {
    recognizeCopies(this, 'OperateError')
  }

  override name = 'OperateError'
}

/** Throws `bad_option` with this message if an option is invalid. */
export const checkOption = optionCheck(OperateError)
