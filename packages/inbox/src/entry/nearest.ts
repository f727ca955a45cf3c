/** ` Did you mean '…'?` of the words that one letter in three or less tells apart; else empty. */
export function nearestTo(written: string, words: readonly string[]): string {
  const near = words
    .map((word) => ({ word, edits: editsBetween(written.slice(0, 100), word) }))
    .filter(({ word, edits }) => edits <= Math.max(written.length, word.length) / 3)
    .toSorted((one, other) => one.edits - other.edits)
  return near[0] ? ` Did you mean '${near[0].word}'?` : ''
}

/** How many letters to add, drop or change (Levenshtein). */
function editsBetween(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (const [row, letter] of [...one].entries()) {
    const line = [row + 1]
    for (const [column, otherLetter] of [...other].entries()) {
      const changed = (above[column] ?? 0) + (letter === otherLetter ? 0 : 1)
      line.push(Math.min(changed, (above[column + 1] ?? 0) + 1, (line[column] ?? 0) + 1))
    }
    above = line
  }
  return above.at(-1) ?? 0
}
