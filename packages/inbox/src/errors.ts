import { codeOf, errorWithCode, optionCheck, recognizeCopies } from '@feed-receiver/core/internal'

export type InboxErrorCode =
  /** `pause`: this type, or everything, is paused already. Nothing was changed. */
  | 'already_paused'
  /** The row of the quarantine was released or discarded before. Nothing was changed. */
  | 'already_resolved'
  /** This inbox already has a running worker. Call work only once. */
  | 'already_working'
  /** The option `transaction` passes an `executeSql` that does not resolve to `{ rows }`. */
  | 'bad_execute_sql'
  /** A set of handlers has an invalid name, or is no object of functions. */
  | 'bad_handler'
  /** An option is invalid. The message names it and says which values are allowed. */
  | 'bad_option'
  /** The function of `effects.once` returned something that JSON cannot hold. The effect has happened. */
  | 'bad_result'
  /** A handler caught the error of a statement through `tx`, so the transaction could not commit. The attempt failed. */
  | 'caught_failure'
  /** Another worker claimed the job, or the content of the entry changed, so this attempt was rolled back. */
  | 'claim_lost'
  /** Tables of the inbox were changed, are missing, or may not be used by the role. */
  | 'damaged_tables'
  /** `effects.once` was called after a statement through `tx`. */
  | 'effect_inside_tx'
  /** The entry of a job, or its raw body, was deleted. Check whether prune removes entries that you still need. */
  | 'entry_missing'
  /** `prune` deleted nothing, because this process lacks an extension that must see the rows before. */
  | 'extension_missing'
  /** The quarantined delivery has the id of a stored event, and other bytes. It cannot be released. */
  | 'id_conflict'
  /** A handler called the inbox after its first statement through `tx`. */
  | 'inside_tx'
  /** Another process has the lease of the stream, so this page stored no cursor. */
  | 'lease_lost'
  /** The OpenTelemetry packages that `metricsHandler` needs are not installed. */
  | 'metrics_missing'
  /** Goes to the worker alone: the handler runs again, in a transaction of its own. */
  | 'needs_own_transaction'
  /** Goes to `onError`: the queue could not reach the database, and retries. */
  | 'no_answer'
  /** The inbox stopped before the handler finished. It counts as a failed attempt. */
  | 'not_finished'
  /** The tables are missing or older than this version, and `migrate` is false. */
  | 'not_migrated'
  /** `resume`: this type, or everything, is not paused. Nothing was changed. */
  | 'not_paused'
  /** The quarantine has no row with this id. */
  | 'not_quarantined'
  /** The inbox has not been started, or has stopped. */
  | 'not_running'
  /** The queue of the inbox was deleted while it ran. */
  | 'queue_missing'
  /** Goes to `onError`: handlers have run for more than 60 s. */
  | 'slow_handlers'
  /** The quarantined delivery is still not a valid event. It stays in quarantine. */
  | 'still_unreadable'
  /** A handler ran a statement that would end its transaction, such as `commit`. */
  | 'transaction_control'
  /** The database or its tables would lose or reject events. The message says what is wrong and what to run. */
  | 'unfit_database'
  /** `limits` names a type that neither the service documents nor a handler has. */
  | 'unknown_limit'
  /** `pause` names a type that is neither documented nor stored. `force` pauses it anyway. */
  | 'unknown_type'

/** An error of an inbox. Its message says what to do next. */
export class InboxError extends errorWithCode<InboxErrorCode>('inbox') {
  static {
    recognizeCopies(this, 'InboxError')
  }

  override name = 'InboxError'
}

/** Fills values into the placeholders of a text. One without a value becomes empty. */
export function fill(text: string, values: Readonly<Record<string, unknown>> = {}): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, key: string) =>
    key in values ? String(values[key]) : '',
  )
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
