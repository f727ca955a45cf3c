/** One measured figure. Its spread is the middle half of the rounds. */
export interface Figure {
  name: string
  unit: string
  median: number
  low: number
  high: number
  goal?: { atLeast: number } | { atMost: number }
  /** Where several contenders are compared. */
  of?: Compared
}

export interface Compared {
  /** What is measured of every contender. */
  title: string
  contender: string
  /** For the ratio of this kit to this contender: the unit of both. */
  ratioOf?: string
}

export function isMet({ median, goal }: Figure): boolean {
  if (!goal) return true
  return 'atLeast' in goal ? median >= goal.atLeast : median <= goal.atMost
}

/** Formats figures as a table, one per line. */
export function formatFigures(figures: readonly Figure[]): string {
  const width = Math.max(0, ...figures.map(({ name }) => name.length)) + 2
  return figures.map((figure) => formatFigure(figure, width)).join('\n')
}

function formatFigure(figure: Figure, width: number): string {
  const { name, unit, median, low, high, goal } = figure
  const spread = `${show(low)} to ${show(high)}`
  const aim = !goal ? '' : 'atLeast' in goal ? `goal ≥ ${goal.atLeast}` : `goal ≤ ${goal.atMost}`
  const verdict = !goal ? '' : isMet(figure) ? 'met' : 'MISSED'
  return [
    name.padEnd(width),
    `${show(median)} ${unit}`.padEnd(16),
    spread.padEnd(22),
    aim.padEnd(14),
    verdict,
  ]
    .join('')
    .trimEnd()
}

/** Creates a figure from the measurements of all rounds. */
export function figureOf(
  name: string,
  unit: string,
  values: readonly number[],
  goal?: Figure['goal'],
): Figure {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => {
    const rank = (sorted.length - 1) * share
    const below = sorted[Math.floor(rank)] ?? Number.NaN
    const above = sorted[Math.ceil(rank)] ?? Number.NaN
    return below + (above - below) * (rank % 1)
  }
  return {
    name,
    unit,
    median: at(0.5),
    low: at(0.25),
    high: at(0.75),
    ...(goal && { goal }),
  }
}

function show(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3)
}
