/** More words than anybody types; each is looked for on its own. */
const maxWords = 10

/** The words that somebody searches for, as patterns of LIKE. */
export function wordsOf(search = ''): string[] {
  const words = search.split(/\s+/).filter((word) => word !== '')
  return words.slice(0, maxWords).map((word) => `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`)
}

/** Whether an entry has a word; the question marks are its pattern. */
export const containsSql = `(lower(title) like lower(?) or lower(type) like lower(?)
  or lower(subject_key) like lower(?))`
