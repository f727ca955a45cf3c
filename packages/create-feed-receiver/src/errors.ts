import json from './errors.json' with { type: 'json' }

// Copied, so that no declaration file imports JSON: TypeScript in the user's app rejects that.
const texts = { ...json }

type Texts = typeof texts

/**
 * Why the command created nothing, or not everything. `usage` exits with 2, `interrupted` with 130,
 * all others with 1. The set is closed.
 */
export type CreateErrorCode = keyof Texts

/** An error for a person at a terminal, in a sentence that says what to do next. */
export class CreateError extends Error {
  override name = 'CreateError'
  readonly code: CreateErrorCode

  constructor(code: CreateErrorCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

/** The error with this text of `errors.json`, with the values filled in. */
export function problem<Code extends CreateErrorCode>(
  code: Code,
  text: keyof Texts[Code],
  values: Record<string, string> = {},
  cause?: unknown,
): CreateError {
  const fill = (_: string, name: string) => values[name] ?? ''
  return new CreateError(code, String(texts[code][text]).replaceAll(/\{(\w+)\}/g, fill), cause)
}
