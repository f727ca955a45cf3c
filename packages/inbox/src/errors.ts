import json from './errors.json' with { type: 'json' }

// A copy, so that no declaration imports JSON, which the TypeScript of a user refuses.
const texts = { ...json }

/** Why an inbox refused or gave up; `errors.json` has the texts of those that always say the same. */
export type InboxErrorCode =
  | keyof typeof texts
  | 'already_working'
  | 'bad_option'
  | 'entry_missing'
  | 'not_finished'
  | 'not_told'

/** What went wrong in an inbox, and what to do next. */
export class InboxError extends Error {
  override name = 'InboxError'
  readonly code: InboxErrorCode

  constructor(code: InboxErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** The error of that name in `errors.json`, with the values in the places of its text. */
export function problem(
  code: keyof typeof texts,
  values?: Record<string, unknown>,
  options?: ErrorOptions,
): InboxError {
  return new InboxError(code, say(code, values), options)
}

/** The text of that name in `errors.json`, with the values in their places. */
export function say(name: keyof typeof texts, values?: Record<string, unknown>): string {
  return fill(texts[name], values)
}

/** A text with values in the places that it has for them. */
export function fill(text: string, values: Record<string, unknown> = {}): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, key: string) => String(values[key]))
}

/** The code of an error, where it has one. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

/** Whether PostgreSQL ended a statement because it took too long. */
export function hasTimedOut(error: unknown): boolean {
  return codeOf(error) === '57014'
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
