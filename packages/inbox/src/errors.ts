export type InboxErrorCode =
  | 'not_running'
  | 'already_working'
  | 'bad_option'
  | 'not_migrated'
  | 'entry_missing'
  | 'queue_missing'
  | 'no_answer'
  | 'claim_lost'
  | 'not_finished'
  | 'lease_lost'
  | 'bad_handler'
  | 'effect_inside_tx'
  | 'bad_result'
  | 'not_quarantined'
  | 'already_settled'
  | 'still_unreadable'
  | 'id_conflict'

/** What went wrong in an inbox, and what to do next. */
export class InboxError extends Error {
  override name = 'InboxError'
  readonly code: InboxErrorCode

  constructor(code: InboxErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
