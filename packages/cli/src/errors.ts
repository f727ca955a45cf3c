import json from './errors.json' with { type: 'json' }
import { fill } from './texts.ts'

// Copied, so that no declaration file imports JSON: TypeScript in the user's app rejects that.
const texts = { ...json }

type Texts = typeof texts

/** Why a command failed. `usage` exits with 2, all others with 1. The set is closed. */
export type CliErrorCode = keyof Texts | 'refused'

/** An error for a person at a terminal, in one line that says what to do next. */
export class CliError extends Error {
  override name = 'CliError'
  readonly code: CliErrorCode

  constructor(code: CliErrorCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

/** The error with this text of `errors.json`, with the values filled in. */
export function problem<Code extends keyof Texts>(
  code: Code,
  text: keyof Texts[Code],
  values: Record<string, string | number> = {},
  cause?: unknown,
): CliError {
  return new CliError(code, fill(String(texts[code][text]), values), cause)
}
