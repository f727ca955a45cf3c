/** The result of a function; undefined if it throws. */
export function orUndefined<Result>(run: () => Result): Result | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}

/** The value of a JSON text; undefined if the text is no JSON. */
export function parseJson(text: string | Uint8Array): unknown {
  return orUndefined((): unknown =>
    JSON.parse(typeof text === 'string' ? text : new TextDecoder().decode(text)),
  )
}
