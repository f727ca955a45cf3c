import { formatTable } from '../output/format-table.ts'
import { many, numeral } from '../output/words.ts'
import type { Mention } from './find-models.ts'
import type { ModelCheck } from './model-facts.ts'

export type CheckedMention = Mention & ModelCheck

/** What needs somebody to act, in this order, with the level of an annotation. Others are fine. */
const levels = new Map([
  ['removed', 'error'],
  ['deprecated', 'warning'],
  ['ambiguous', 'notice'],
  ['unknown', ''],
])

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
  const rank = [...levels.keys()].indexOf(modelState(mention))
  return rank === -1 ? levels.size : rank
}

function placesIn(files: ReadonlyMap<string, ReadonlySet<number>>): string[] {
  return [...files].map(([path, lines]) => `  ${path}:${[...lines].join(', ')}`)
}

/** The workflow command with which GitHub shows a model beside its line; undefined for none. */
export function annotate(mention: CheckedMention): string | undefined {
  const { path, line, column, model } = mention
  const state = modelState(mention)
  const level = levels.get(state)
  if (!level) return undefined
  const title = state === 'ambiguous' ? 'Ambiguous model' : `${model} is ${state}`
  const position = { file: path.replaceAll('\\', '/'), line, col: column, title }
  const properties = Object.entries(position).map(
    ([name, value]) => `${name}=${property(String(value))}`,
  )
  return `::${level} ${properties.join(',')}::${message(describeCheck(mention))}`
}

/** Says in a sentence what is known about a model, and what to do. */
function describeCheck(mention: CheckedMention): string {
  if (mention.result === 'unknown') return 'No confirmed fact about this model is known.'
  if (mention.result === 'ambiguous') {
    const providers = mention.candidates.map(({ provider }) => provider).join(', ')
    return `ambiguous, because several providers have it: ${providers}. Name one with --provider.`
  }
  const { state, provider, since, effectiveAt, replacements, sourceUrl } = mention
  const date = effectiveAt === null ? `since ${dayOf(since)}` : `effective ${dayOf(effectiveAt)}`
  const move = replacements.length > 0 ? ` Move to ${replacements.join(' or ')}.` : ''
  return `${state} by ${provider}, ${date}.${move} Source: ${sourceUrl}`
}

export function modelState(check: ModelCheck): string {
  return check.result === 'found' ? check.state : check.result
}

/** The day of a time; a text that is none stays whole. */
function dayOf(time: string): string {
  return /^\d{4}-\d\d-\d\d/.exec(time)?.[0] ?? time
}

function message(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return message(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
