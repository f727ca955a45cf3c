import { plain, table } from '../../../docs/.vitepress/reference/markdown.ts'
import { isMet, type Figure } from '../figure.ts'

type Compared = Figure & Required<Pick<Figure, 'of'>>

/** Figures as tables: one column for each contender, and where this kit is behind. */
export function speedTables(figures: readonly Figure[]): string[] {
  const compared = figures.filter((figure) => figure.of !== undefined) as Compared[]
  const alone = figures.filter(({ of }) => of === undefined)
  const short = figures.filter((figure) => !isMet(figure)).map(({ name }) => `- ${plain(name)}`)
  return [
    ...contenderTables(compared),
    ...(alone.length === 0 ? [] : [aloneTable(alone)]),
    '### Where this kit is behind',
    'Measures whose middle half lies on the worse side of the other one.',
    listOf(losses(compared)),
    ...(short.length === 0 ? [] : ['### Short of their goals', short.join('\n')]),
  ]
}

/** In words, such as `accept at 64: 0.61 times bullmq`, one line for each measure. */
export function losses(figures: readonly Compared[]): string[] {
  const lost = figures.filter(isBehind)
  return groupBy(lost, ({ of }) => of.title).map((group) => {
    const [{ of }] = group
    const others = group.map(
      ({ median, of: { contender } }) => `${show(median)} times ${contender}`,
    )
    return `${of.title} (${of.ratioOf}): ${others.join(', ')}`
  })
}

function isBehind({ of, low, high }: Compared): boolean {
  if (of.ratioOf === undefined) return false
  return of.ratioOf === '/s' ? high < 1 : low > 1
}

/** One table for neighbours that compare the same contenders. */
function contenderTables(figures: readonly Compared[]): string[] {
  const measures = groupBy(
    figures.filter(({ of }) => of.ratioOf === undefined),
    ({ of }) => of.title,
  )
  const contendersOf = (measure: readonly Compared[]) => measure.map(({ of }) => of.contender)
  return groupBy(measures, (measure) => contendersOf(measure).join()).map((group) => {
    const rows = group.map((measure) => {
      const [{ of, unit }] = measure
      return [plain(`${of.title}, ${unit}`), ...measure.map(showSpread)]
    })
    return table(['Median (middle half)', ...contendersOf(group[0]).map(plain)], rows)
  })
}

function aloneTable(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    plain(`${figure.name}, ${figure.unit}`),
    showSpread(figure),
  ])
  return table(['Figure', 'Median (middle half)'], rows)
}

type Group<Value> = [Value, ...Value[]]

function groupBy<Value>(values: readonly Value[], keyOf: (value: Value) => string): Group<Value>[] {
  const groups = new Map<string, Group<Value>>()
  for (const value of values) {
    const group = groups.get(keyOf(value))
    if (group) group.push(value)
    else groups.set(keyOf(value), [value])
  }
  return [...groups.values()]
}

function listOf(lines: readonly string[]): string {
  return lines.length === 0 ? 'None.' : lines.map((line) => `- ${plain(line)}`).join('\n')
}

function showSpread({ median, low, high }: Figure): string {
  return `${show(median)} (${show(low)} – ${show(high)})`
}

function show(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3)
}
