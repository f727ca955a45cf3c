/** Bodies longer than this are paired by the number of their lines, which takes no time. */
const maxLines = 1_000

/** A line of each text; null where one has none. */
export type LinePair = [string | null, string | null]

/** How many equal lines are left around what differs. */
const linesAround = 2

/** Puts equal lines of two texts beside each other, and nothing beside those that have no equal. */
export function pairLines(left: string[], right: string[]): LinePair[] {
  if (left.length > maxLines || right.length > maxLines) return pairByNumber(left, right)
  const lengths = commonLengths(left, right)
  const width = right.length + 1
  const pairs: LinePair[] = []
  let [i, j] = [0, 0]
  while (i < left.length || j < right.length) {
    const [one = null, other = null] = [left[i], right[j]]
    const isEqual = one !== null && one === other
    const below = lengths[(i + 1) * width + j] ?? -1
    const beside = lengths[i * width + j + 1] ?? -1
    const isLeft = other === null || (one !== null && below >= beside)
    pairs.push(isEqual ? [one, other] : isLeft ? [one, null] : [null, other])
    if (isEqual || isLeft) i += 1
    if (isEqual || !isLeft) j += 1
  }
  return joinChanges(pairs)
}

/** Leaves out what is equal and far from what differs, and says of how many lines. */
export function leaveOutEqual(pairs: LinePair[]): (LinePair | number)[] {
  const near = linesNearChanges(pairs)
  const shown: (LinePair | number)[] = []
  for (const [at, pair] of pairs.entries()) {
    const last = shown.at(-1)
    if (near.has(at)) shown.push(pair)
    else if (typeof last === 'number') shown[shown.length - 1] = last + 1
    else shown.push(1)
  }
  return shown
}

function linesNearChanges(pairs: LinePair[]): Set<number> {
  const near = new Set<number>()
  for (const [at, [one, other]] of pairs.entries()) {
    if (one === other) continue
    for (let line = at - linesAround; line <= at + linesAround; line += 1) near.add(line)
  }
  return near
}

/** How many lines the rests of both have in common, by where the rests begin. */
function commonLengths(left: string[], right: string[]): Uint16Array {
  const width = right.length + 1
  const lengths = new Uint16Array((left.length + 1) * width)
  for (let i = left.length - 1; i >= 0; i -= 1) {
    for (let j = right.length - 1; j >= 0; j -= 1) {
      const [next = 0, below = 0, beside = 0] = [
        lengths[(i + 1) * width + j + 1],
        lengths[(i + 1) * width + j],
        lengths[i * width + j + 1],
      ]
      lengths[i * width + j] = left[i] === right[j] ? next + 1 : Math.max(below, beside)
    }
  }
  return lengths
}

/** A line that went and the one that came in its place stand beside each other. */
function joinChanges(pairs: LinePair[]): LinePair[] {
  const joined: LinePair[] = []
  // The first pair of this change that may still have nothing on its right; it only ever moves on.
  let open = 0
  for (const [one, other] of pairs) {
    while (open < joined.length && joined[open]?.[1] !== null) open += 1
    const waiting = one === null ? joined[open] : undefined
    if (waiting) waiting[1] = other
    else joined.push([one, other])
    // What is equal ends a change.
    if (one !== null && one === other) open = joined.length
  }
  return joined
}

function pairByNumber(left: string[], right: string[]): LinePair[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => [
    left[index] ?? null,
    right[index] ?? null,
  ])
}
