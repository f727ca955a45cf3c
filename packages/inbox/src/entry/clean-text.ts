/** As much of a text as an index row holds with room to spare. */
const maxLength = 500

/** Makes a text fit for a column: PostgreSQL holds no NUL, and half a surrogate is no character. */
export function cleanText(text: string): string {
  return text.slice(0, maxLength).toWellFormed().replaceAll('\0', '\ufffd')
}
