/** The word that equals a text or is close to it. */
export function closestTo(text: string, words: readonly string[]): string | undefined {
  if (words.includes(text)) return text
  const written = bare(text)
  const [closest] = words
    .map((word) => ({ word, far: distance(written, bare(word)) }))
    .filter(({ far }) => far <= 2)
    .toSorted((one, other) => one.far - other.far)
  return closest?.word
}

/** ` Did you mean '…'?`, or an empty text if no word is close. */
export function didYouMean(text: string, words: readonly string[]): string {
  const meant = closestTo(text, words)
  return meant === undefined ? '' : ` Did you mean '${meant}'?`
}

/** Removes the characters that people spell differently. */
function bare(word: string): string {
  return word.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

/**
 * The edit distance: how many letters to insert, delete or replace to turn one text into the other.
 */
function distance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 2) return Infinity
  let above = Array.from({ length: other.length + 1 }, (_, n) => n)
  for (let row = 0; row < one.length; row += 1) {
    const current = [row + 1]
    for (let column = 0; column < other.length; column += 1) {
      const replaced = (above[column] ?? 0) + (one[row] === other[column] ? 0 : 1)
      const edited = Math.min(above[column + 1] ?? 0, current[column] ?? 0) + 1
      current.push(Math.min(replaced, edited))
    }
    above = current
  }
  return above.at(-1) ?? 0
}
