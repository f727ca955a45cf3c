import type { Activity } from '@feed-receiver/inbox'
import texts from './texts.json' with { type: 'json' }

/** The values that a chart shows in one colour. */
export interface Series {
  label: string
  /** The suffix of its CSS class. */
  tone: string
  total: number
  /** The value of the step that begins at this time. */
  at: (atMs: number) => number
}

interface Point {
  atMs: number
  key: string
  count: number
}

const outcomes = Object.entries(texts.outcomes)
/** No colour has a meaning for a type, so only the legend tells these apart. */
const tonesOfTypes = ['received', 'done', 'failing', 'quarantined', 'rejected', 'skipped'] as const
const rest = 'all others'

/** The deliveries by outcome, in the order in which the chart stacks them. */
export function outcomesOf({ steps, notStored }: Activity): Series[] {
  const points = [
    ...steps.map(({ at, state, accepted }) => pointOf(at, state, accepted)),
    ...notStored.map(({ at, outcome, count }) => pointOf(at, outcome, count)),
  ]
  return outcomes
    .map(([tone, label]) => seriesOf(points, { key: tone, label, tone }))
    .filter(({ total }) => total > 0)
}

/** The events by type: the most frequent types, and all others as one. */
export function typesOf({ steps }: Activity): Series[] {
  const totals = new Map<string, number>()
  for (const { type, accepted } of steps) totals.set(type, (totals.get(type) ?? 0) + accepted)
  const sorted = [...totals].toSorted(([, one], [, other]) => other - one).map(([type]) => type)
  const isCut = sorted.length > tonesOfTypes.length
  const shown = isCut ? sorted.slice(0, tonesOfTypes.length - 1) : sorted
  const points = steps.map(({ at, type, accepted }) =>
    pointOf(at, shown.includes(type) ? type : rest, accepted),
  )
  return [...shown, ...(isCut ? [rest] : [])].map((type, index) =>
    seriesOf(points, { key: type, label: type, tone: tonesOfTypes[index] ?? 'skipped' }),
  )
}

function pointOf(at: string, key: string, count: number): Point {
  return { atMs: Date.parse(at), key, count }
}

function seriesOf(
  points: readonly Point[],
  { key, label, tone }: { key: string; label: string; tone: string },
): Series {
  const counts = new Map<number, number>()
  const own = points.filter((point) => point.key === key)
  for (const { atMs, count } of own) counts.set(atMs, (counts.get(atMs) ?? 0) + count)
  const total = own.reduce((sum, { count }) => sum + count, 0)
  return { label, tone, total, at: (atMs) => counts.get(atMs) ?? 0 }
}
