import type { RowCounts } from './guard.ts'

/** The number of rows that a commit would have changed. */
export interface RehearsedRows extends RowCounts {
  /** With its schema. */
  table: string
}

export interface RehearsedEffects {
  /** The key, with `<id>` for the id of the event and `#` for other ids and numbers. */
  key: string
  /** How often it would run. */
  wouldRun: number
  /** How often it has a stored result, so it would not run. */
  fromLedger: number
}

export interface RehearsedError {
  /** The name and message, with `<id>` for the id of the event. */
  message: string
  /** Its `code`, such as an SQLSTATE; null if it has none. */
  code: string | null
  /** Where it was thrown first, as `file:line:column`; null if the error does not contain it. */
  at: string | null
  events: number
  /** The ids of the first events. */
  eventIds: string[]
  /**
   * Of these, how many followed an effect that was not run. Its missing result may be the cause.
   */
  afterEffect: number
  /**
   * Of these, how many are done: their rows may exist, and conflict with others of the same key.
   */
  handledBefore: number
}

/** The number of events, by result. */
export interface RehearsedCounts {
  events: number
  handled: number
  /** The handler threw, timed out, or could not have committed. */
  thrown: number
  /** No handler exists for their type. */
  skipped: number
  /** Retention has deleted their content. */
  emptied: number
}

export interface RehearsedType extends RehearsedCounts {
  type: string
  /** The most frequent first. */
  errors: RehearsedError[]
  /** Of handled events. */
  rows: RehearsedRows[]
  /** Of handled events, and of those that threw. */
  effects: RehearsedEffects[]
}

export interface RehearsalReport extends RehearsedCounts {
  /**
   * Why it ended: `all` events were rehearsed, the `limit` was reached, the signal `aborted`, or it
   * is `stuck`, because handlers that do not end hold all its transactions.
   */
  ended: 'all' | 'limit' | 'aborted' | 'stuck'
  durationMs: number
  /** False if the server counts no rows (`track_counts` is off). */
  countsRows: boolean
  /** The most frequent first. */
  types: RehearsedType[]
  /** The limits of a rehearsal, as sentences. */
  limitations: string[]
}
