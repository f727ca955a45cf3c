import { codeOf, errorWithCode, optionCheck, recognizeCopies } from '@feed-receiver/core'
import json from './errors.json' with { type: 'json' }

// Copied, so that no declaration file imports JSON: TypeScript in the user's app rejects that.
const texts = { ...json }

/** The code of an `InboxError`. `errors.json` has the texts of errors with a fixed text. */
export type InboxErrorCode =
  | keyof typeof texts
  | 'already_working'
  | 'bad_option'
  | 'entry_missing'
  | 'not_finished'
  | 'unfit_database'

/** An error of an inbox. Its message says what to do next. */
export class InboxError extends errorWithCode<InboxErrorCode>('inbox') {
  static {
    recognizeCopies(this, 'InboxError')
  }

  override name = 'InboxError'
}

/** Creates the error with this code from its text in `errors.json`, with the values filled in. */
export function problem(
  code: keyof typeof texts,
  values?: Record<string, unknown>,
  options?: ErrorOptions,
): InboxError {
  return new InboxError(code, say(code, values), options)
}

/** The text with this code in `errors.json`, with the values filled in. */
export function say(name: keyof typeof texts, values?: Record<string, unknown>): string {
  return fill(texts[name], values)
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
