import type { Activity } from '@feed-receiver/inbox'
import { Untrusted, formatNumber, formatPlural } from '@feed-receiver/page-kit'
import { Command, sendCommand } from './words.tsx'

const heightPx = 168

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric' })

/** The deliveries of each step of time, by outcome or by type. */
export function Plot({ activity, by }: { activity: Activity; by: string }) {
  const { stepSeconds, since } = activity
  const stepMs = stepSeconds * 1_000
  const begin = Math.floor(Date.parse(since) / stepMs) * stepMs
  const count = Math.floor((Date.now() - begin) / stepMs) + 1
  const series = by === 'type' ? typesOf(activity) : outcomesOf(activity)
  const columns = Array.from({ length: count }, (_, index) => {
    const at = begin + index * stepMs
    const values = series.map((one) => ({ ...one, value: one.at(at) }))
    return { at, values, total: values.reduce((sum, { value }) => sum + value, 0) }
  })
  const highest = Math.max(1, ...columns.map(({ total }) => total))
  const sum = columns.reduce((all, { total }) => all + total, 0)
  if (sum === 0) return <Nothing />
  const width = 100 / count
  const nameOf = (at: number) =>
    stepSeconds > 3_600 ? `${day.format(at)}, ${clock.format(at)}` : clock.format(at)

  return (
    <figure class="box plot">
      <svg
        width="100%"
        height={heightPx}
        role="img"
        aria-label={`${formatPlural(sum, 'delivery', 'deliveries')} over time, at most ${highest} in one bar: ${series.map(sayTotal).join(', ')}`}
      >
        <line class="grid" x1="0" x2="100%" y1="0.5" y2="0.5" />
        <line class="grid" x1="0" x2="100%" y1={heightPx / 2} y2={heightPx / 2} />
        <line class="grid" x1="0" x2="100%" y1={heightPx - 0.5} y2={heightPx - 0.5} />
        {columns.map(({ at, values, total }, index) => (
          <g key={at}>
            <title>
              {[
                `${nameOf(at)}: ${formatNumber(total)}`,
                ...values.filter(({ value }) => value > 0).map(sayValue),
              ].join('\n')}
            </title>
            <rect class="hit" x={`${index * width}%`} y="0" width={`${width}%`} height={heightPx} />
            {bars(values, highest).map(({ tone, ...place }) => (
              <rect
                key={tone}
                class={`tone-${tone}`}
                x={`${(index + 0.14) * width}%`}
                width={`${width * 0.72}%`}
                {...place}
              />
            ))}
          </g>
        ))}
      </svg>
      <p class="plot-top" aria-hidden="true">
        {formatNumber(highest)}
      </p>
      <div class="axis" aria-hidden="true">
        {[0, 0.25, 0.5, 0.75].map((share) => (
          <span key={share}>{nameOf(begin + Math.floor(share * count) * stepMs)}</span>
        ))}
        <span>now</span>
      </div>
      <figcaption class="row legend">
        {series.map(({ label, tone, total }) => (
          <span key={label}>
            <span class={`swatch tone-${tone}`} aria-hidden="true" />
            <Untrusted text={label} /> <span class="muted">{formatNumber(total)}</span>
          </span>
        ))}
      </figcaption>
    </figure>
  )
}

const sayTotal = ({ label, total }: Series) => `${label} ${formatNumber(total)}`
const sayValue = ({ label, value }: Series & { value: number }) =>
  `${label}: ${formatNumber(value)}`

function Nothing() {
  return (
    <div class="empty">
      <p>No events in this time. New ones appear here live.</p>
      <p>Send one to the address of your receiver:</p>
      <Command>{sendCommand}</Command>
    </div>
  )
}

function bars(values: readonly { tone: string; value: number }[], highest: number) {
  let top = heightPx - 1
  return values.flatMap(({ tone, value }) => {
    if (value === 0) return []
    // One event must stay visible beside thousands.
    const height = Math.max(2, (value / highest) * (heightPx - 8))
    top -= height
    return [{ y: top, height: Math.max(1, height - 1), tone }]
  })
}

/** The values that a chart shows in one colour. */
interface Series {
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

const outcomes = [
  ['done', 'Done'],
  ['skipped', 'Skipped'],
  ['received', 'Pending'],
  ['failing', 'Failing'],
  ['dead', 'Dead'],
  ['quarantined', 'Quarantined'],
  ['rejected', 'Rejected'],
] as const

/** No colour has a meaning for a type, so only the legend tells these apart. */
const tonesOfTypes = ['received', 'done', 'failing', 'quarantined', 'rejected', 'skipped'] as const
const rest = 'all others'

/** The deliveries by outcome, in the order in which the chart stacks them. */
function outcomesOf({ steps, notStored }: Activity): Series[] {
  const points = [
    ...steps.map(({ at, state, accepted }) => pointOf(at, state, accepted)),
    ...notStored.map(({ at, outcome, count }) => pointOf(at, outcome, count)),
  ]
  return outcomes
    .map(([tone, label]) => seriesOf(points, { key: tone, label, tone }))
    .filter(({ total }) => total > 0)
}

/** The events by type: the most frequent types, and all others as one. */
function typesOf({ steps }: Activity): Series[] {
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
