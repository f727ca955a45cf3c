/** Bodies longer than this are paired by the number of their lines, which takes no time. */
const maxLines = 1_000

/** A line of each text; null where one has none. */
export type LinePair = [string | null, string | null]

/** How many equal lines are left around what differs. */
const linesAround = 2

/** Puts equal lines of two texts beside each other, and what differs between them side by side. */
export function pairLines(left: string[], right: string[]): LinePair[] {
  if (left.length > maxLines || right.length > maxLines) return besideEachOther(left, right)
  const lengths = commonLengths(left, right)
  const width = right.length + 1
  const pairs: LinePair[] = []
  let [i, j] = [0, 0]
  // Where on both sides the change began that is being read.
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

/** Leaves out what is equal and far from what differs, and says of how many lines. */
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

/** How many lines the rests of both have in common, by where the rests begin. */
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
