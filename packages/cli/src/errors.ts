import json from './errors.json' with { type: 'json' }
import { fill } from './texts.ts'

// A copy, so that no declaration imports JSON, which the TypeScript of a user refuses.
const texts = { ...json }

type Texts = typeof texts

/**
 * Why a command ended without doing its work. `usage` exits with 2, all others with 1. The set is
 * closed.
 */
export type CliErrorCode = keyof Texts | 'port_taken' | 'refused'

/** What a person at a terminal did or met, in one line that says what to do next. */
export class CliError extends Error {
  override name = 'CliError'
  readonly code: CliErrorCode

  constructor(code: CliErrorCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

/** The error with this text of `errors.json`, and values in the places that it has for them. */
export function problem<Code extends keyof Texts>(
  code: Code,
  text: keyof Texts[Code],
  values: Record<string, string | number> = {},
  cause?: unknown,
): CliError {
  return new CliError(code, fill(String(texts[code][text]), values), cause)
}
