import { many, numeral } from '../output/words.ts'
import { formatTable } from '../output/format-table.ts'
import { describeCheck, modelState, type CheckedMention } from './annotate.ts'

/** What needs somebody to act, in this order. Other states are fine. */
const order = ['removed', 'deprecated', 'ambiguous', 'unknown']

const maxUnknown = 20

/** Lists each model with every place that mentions it, and each unknown model with the first one. */
export function formatMentions(
  mentions: readonly CheckedMention[],
  { isWhole }: { isWhole: boolean },
): string[] {
  const models = groupByModel(mentions)
  const unknown = models.filter(({ first }) => first.result === 'unknown')
  const listed = isWhole ? unknown : unknown.slice(0, maxUnknown)
  const rows = listed.map(({ first: { model, path, line }, count }) => ({
    unknown: model,
    mentions: count,
    first: `${path}:${line}`,
  }))
  const omitted = unknown.length - listed.length
  const blocks = [
    ...models
      .filter(({ first }) => first.result !== 'unknown')
      .map(({ first, files }) => [`${first.model}: ${describeCheck(first)}`, ...placesIn(files)]),
    formatTable(rows),
    omitted > 0 ? [`--all lists ${many(omitted, 'more unknown model')}.`] : [],
  ]
  return blocks
    .filter((lines) => lines.length > 0)
    .flatMap((lines, at) => (at === 0 ? lines : ['', ...lines]))
}

/** `483 removed, 1,181 deprecated` */
export function countStates(mentions: readonly CheckedMention[]): string {
  const counts = new Map<string, number>()
  for (const mention of mentions.toSorted(byState)) {
    const state = modelState(mention)
    counts.set(state, (counts.get(state) ?? 0) + 1)
  }
  const texts = [...counts].map(([state, count]) => `${numeral(count)} ${state}`)
  return texts.join(', ') || 'none'
}

interface Group {
  first: CheckedMention
  count: number
  /** The lines of each file. */
  files: Map<string, Set<number>>
}

function groupByModel(mentions: readonly CheckedMention[]): Group[] {
  const groups = new Map<string, Group>()
  for (const mention of mentions) {
    const { model, path, line } = mention
    const group = groups.get(model) ?? { first: mention, count: 0, files: new Map() }
    group.count += 1
    group.files.set(path, (group.files.get(path) ?? new Set()).add(line))
    groups.set(model, group)
  }
  return [...groups.values()].toSorted((a, b) => byState(a.first, b.first))
}

function byState(a: CheckedMention, b: CheckedMention): number {
  return rankOf(a) - rankOf(b)
}

function rankOf(mention: CheckedMention): number {
  const rank = order.indexOf(modelState(mention))
  return rank === -1 ? order.length : rank
}

function placesIn(files: ReadonlyMap<string, ReadonlySet<number>>): string[] {
  return [...files].map(([path, lines]) => `  ${path}:${[...lines].join(', ')}`)
}
