import json from './errors.json' with { type: 'json' }

// A copy, so that no declaration imports JSON, which the TypeScript of a user refuses.
const texts = { ...json }

type Texts = typeof texts

/**
 * Why nothing was made, or not all. `usage` exits with 2, `interrupted` with 130, all others with 1.
 * The set is closed.
 */
export type CreateErrorCode = keyof Texts

/** What a person at a terminal did or met, in a sentence that says what to do next. */
export class CreateError extends Error {
  override name = 'CreateError'
  readonly code: CreateErrorCode

  constructor(code: CreateErrorCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

/** The error with this text of `errors.json`, and values in the places that it has for them. */
export function problem<Code extends CreateErrorCode>(
  code: Code,
  text: keyof Texts[Code],
  values: Record<string, string> = {},
  cause?: unknown,
): CreateError {
  const fill = (_: string, name: string) => values[name] ?? ''
  return new CreateError(code, String(texts[code][text]).replaceAll(/\{(\w+)\}/g, fill), cause)
}
