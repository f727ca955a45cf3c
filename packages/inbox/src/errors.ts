import json from './errors.json' with { type: 'json' }

// A copy, so that no declaration imports JSON, which the TypeScript of a user refuses.
const texts = { ...json }

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

/** The text of that name in `errors.json`, with the values in their places. */
export function say(name: keyof typeof texts, values: Record<string, unknown> = {}): string {
  return texts[name].replaceAll(/\{(\w+)\}/g, (_, key: string) => String(values[key]))
}

/** The code of an error, where it has one. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

/** Throws `bad_option` with this message unless an option is fine. */
export function checkOption(isFine: boolean, message: string): void {
  if (!isFine) throw new InboxError('bad_option', message)
}

/** Checks a number of days; parts of a day are fine. */
export function checkDays(name: string, days: number): void {
  checkOption(days >= 0 && days <= 36_500, `${name}: use a number from 0 to 36500.`)
}

/** Checks a time to wait. */
export function checkTime(name: string, ms: number): void {
  checkOption(ms >= 0 && ms < 2 ** 31, `${name}: use a number of milliseconds, 0 or more.`)
}
