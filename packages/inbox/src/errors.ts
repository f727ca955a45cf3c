import { codeOf, errorWithCode, optionCheck, recognizeCopies } from '@feed-receiver/core/internal'

/** The code of an `InboxError`. */
export type InboxErrorCode =
  | 'already_paused'
  | 'already_resolved'
  | 'already_working'
  | 'bad_execute_sql'
  | 'bad_handler'
  | 'bad_option'
  | 'bad_result'
  | 'caught_failure'
  | 'claim_lost'
  | 'damaged_tables'
  | 'effect_inside_tx'
  | 'entry_missing'
  | 'extension_missing'
  | 'id_conflict'
  | 'inside_tx'
  | 'lease_lost'
  | 'metrics_missing'
  | 'needs_own_transaction'
  | 'no_answer'
  | 'not_finished'
  | 'not_migrated'
  | 'not_paused'
  | 'not_quarantined'
  | 'not_running'
  | 'queue_missing'
  | 'slow_handlers'
  | 'still_unreadable'
  | 'transaction_control'
  | 'unfit_database'
  | 'unknown_limit'
  | 'unknown_type'

/** An error of an inbox. Its message says what to do next. */
export class InboxError extends errorWithCode<InboxErrorCode>('inbox') {
  static {
    recognizeCopies(this, 'InboxError')
  }

  override name = 'InboxError'
}

/** Fills values into the placeholders of a text. */
export function fill(text: string, values: Record<string, unknown> = {}): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, key: string) => String(values[key]))
}

export { codeOf }

/** Whether PostgreSQL cancelled a statement because of its timeout. */
export function hasTimedOut(error: unknown): boolean {
  return codeOf(error) === '57014'
}

/** Throws `bad_option` with this message if an option is invalid. */
export const checkOption = optionCheck(InboxError)

/** Checks a number of days. Fractions are allowed. */
export function checkDays(name: string, days: number): void {
  checkOption(days >= 0 && days <= 36_500, `${name}: use a number from 0 to 36500.`)
}

/** Checks a waiting time. */
export function checkTime(name: string, ms: number): void {
  const isFine = typeof ms === 'number' && ms >= 0 && ms < 2 ** 31
  checkOption(isFine, `${name}: use a number of milliseconds, 0 or more.`)
}
