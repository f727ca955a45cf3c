/** More words than anybody types. Each is searched for separately. */
const maxWords = 10

/** The words of a search, as LIKE patterns. */
export function wordsOf(search = ''): string[] {
  const words = search.split(/\s+/).filter((word) => word !== '')
  return words.slice(0, maxWords).map((word) => `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`)
}

/**
 * Whether an entry contains a word. The question marks are its pattern. A type compares by bytes,
 * and `lower` would change only its ASCII letters.
 */
export const containsSql = `(lower(title) like lower(?)
  or lower(type collate "default") like lower(?)
  or lower(subject_key) like lower(?))`
