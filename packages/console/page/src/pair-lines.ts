/** Longer bodies are paired by line number, because a comparison would take too long. */
const maxLines = 1_000

/** A line of each text; null if one has none. */
export type LinePair = [string | null, string | null]

const linesAround = 2

/** Pairs the equal lines of two texts, and puts differing lines side by side. */
export function pairLines(left: string[], right: string[]): LinePair[] {
  if (left.length > maxLines || right.length > maxLines) return besideEachOther(left, right)
  const lengths = commonLengths(left, right)
  const width = right.length + 1
  const pairs: LinePair[] = []
  let [i, j] = [0, 0]
  // Where the current difference begins on each side.
  let [fromLeft, fromRight] = [0, 0]
  while (i < left.length && j < right.length) {
    const line = left[i] ?? ''
    if (line === right[j]) {
      pairs.push(...besideEachOther(left.slice(fromLeft, i), right.slice(fromRight, j)))
      pairs.push([line, line])
      i += 1
      j += 1
      fromLeft = i
      fromRight = j
    } else if ((lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0)) {
      i += 1
    } else {
      j += 1
    }
  }
  return [...pairs, ...besideEachOther(left.slice(fromLeft), right.slice(fromRight))]
}

/** Replaces equal lines far from any difference by their number. */
export function leaveOutEqual(pairs: LinePair[]): (LinePair | number)[] {
  const shown: (LinePair | number)[] = []
  for (const [at, pair] of pairs.entries()) {
    const around = pairs.slice(Math.max(at - linesAround, 0), at + linesAround + 1)
    const last = shown.at(-1)
    if (around.some(([one, other]) => one !== other)) shown.push(pair)
    else if (typeof last === 'number') shown[shown.length - 1] = last + 1
    else shown.push(1)
  }
  return shown
}

/** The number of common lines of the two rests, by the positions where they begin. */
function commonLengths(left: string[], right: string[]): Uint16Array {
  const width = right.length + 1
  const lengths = new Uint16Array((left.length + 1) * width)
  for (let i = left.length - 1; i >= 0; i -= 1) {
    for (let j = right.length - 1; j >= 0; j -= 1) {
      const at = i * width + j
      const [next = 0, below = 0, beside = 0] = [
        lengths[at + width + 1],
        lengths[at + width],
        lengths[at + 1],
      ]
      lengths[at] = left[i] === right[j] ? next + 1 : Math.max(below, beside)
    }
  }
  return lengths
}

function besideEachOther(left: string[], right: string[]): LinePair[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => [
    left[index] ?? null,
    right[index] ?? null,
  ])
}
