/** The maximum length that fits into an index row with room to spare. */
const maxLength = 500

/**
 * Makes a text fit for a column: PostgreSQL stores no NUL, and half a surrogate is no character.
 */
export function cleanText(text: string, length = maxLength): string {
  return text.slice(0, length).toWellFormed().replaceAll('\0', '\ufffd')
}

/** Quotes a text as one word of a shell, because a sender may have chosen it. */
export function quoteWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
