import type { RowCounts } from './guard.ts'

/** Rows that a commit would have changed. */
export interface RehearsedRows extends RowCounts {
  /** With its schema. */
  table: string
}

export interface RehearsedEffects {
  /** The key, with `<id>` for the id of the event and `#` for other ids and numbers. */
  key: string
  /** How often it would run. */
  wouldRun: number
  /** How often the ledger had its outcome. */
  fromLedger: number
}

export interface RehearsedError {
  /** The name and message, with `<id>` for the id of the event. */
  message: string
  /** Its `code`, such as an SQLSTATE; null where it has none. */
  code: string | null
  /** Where it was thrown, the first time; null where the error does not say. */
  at: string | null
  events: number
  /** The first ones. */
  eventIds: string[]
  /**
   * Of these, how many came after an effect that was not run, whose missing result may have caused it.
   */
  afterEffect: number
  /** Of these, how many are done: their rows may be there, and refuse others with the same key. */
  handledBefore: number
}

/** How many events there were, and what became of them. */
export interface RehearsedCounts {
  events: number
  handled: number
  /** The handler threw, did not end in time, or could not have committed. */
  thrown: number
  /** There is no handler for their type. */
  skipped: number
  /** Retention has emptied their content. */
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
   * Why it ended: `all` events were rehearsed, the `limit` was reached, the signal `aborted`, or it is
   * `stuck`, because handlers that do not end hold all the transactions it may open.
   */
  ended: 'all' | 'limit' | 'aborted' | 'stuck'
  durationMs: number
  /** False where the server counts no rows (`track_counts` is off). */
  countsRows: boolean
  /** The most frequent first. */
  types: RehearsedType[]
  /** What a rehearsal cannot see, as sentences. */
  cannotSee: string[]
}
