import type { Activity } from '@feed-receiver/inbox'
import { Untrusted, formatNumber, formatPlural } from '@feed-receiver/page-kit'
import { NoEvents } from './words.tsx'

const heightPx = 168

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric' })

/** The deliveries of each step of time, by outcome or by type. */
export function Plot({ activity, by }: { activity: Activity; by: string }) {
  const { stepSeconds, since } = activity
  const stepMs = stepSeconds * 1_000
  const begin = Math.floor(Date.parse(since) / stepMs) * stepMs
  const count = Math.floor((Date.now() - begin) / stepMs) + 1
  const { points, series } = by === 'type' ? byType(activity) : byOutcome(activity)
  const counts = sumBy(points, ({ at, label }) => `${Date.parse(at)} ${label}`)
  const totals = sumBy(points, ({ label }) => label)
  const totalOf = ({ label }: Series) => formatNumber(totals.get(label) ?? 0)
  const columns = Array.from({ length: count }, (_, index) => {
    const at = begin + index * stepMs
    const values = series.map((one) => ({ ...one, value: counts.get(`${at} ${one.label}`) ?? 0 }))
    return { at, values, total: values.reduce((sum, { value }) => sum + value, 0) }
  })
  const highest = Math.max(1, ...columns.map(({ total }) => total))
  const sum = columns.reduce((all, { total }) => all + total, 0)
  if (sum === 0) {
    return (
      <div class="empty">
        <NoEvents why="No events in this time." />
      </div>
    )
  }
  const width = 100 / count
  const nameOf = (at: number) =>
    stepSeconds > 3_600 ? `${day.format(at)}, ${clock.format(at)}` : clock.format(at)

  return (
    <figure class="box plot">
      <svg
        width="100%"
        height={heightPx}
        role="img"
        aria-label={`${formatPlural(sum, 'delivery', 'deliveries')} over time, at most ${highest} in one bar: ${series.map((one) => `${one.label} ${totalOf(one)}`).join(', ')}`}
      >
        <line class="grid" x1="0" x2="100%" y1="0.5" y2="0.5" />
        <line class="grid" x1="0" x2="100%" y1={heightPx / 2} y2={heightPx / 2} />
        <line class="grid" x1="0" x2="100%" y1={heightPx - 0.5} y2={heightPx - 0.5} />
        {columns.map(({ at, values, total }, index) => (
          <g key={at}>
            <title>
              {[
                `${nameOf(at)}: ${formatNumber(total)}`,
                ...values.flatMap(({ label, value }) =>
                  value > 0 ? [`${label}: ${formatNumber(value)}`] : [],
                ),
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
        {series.map((one) => (
          <span key={one.label}>
            <span class={`swatch tone-${one.tone}`} aria-hidden="true" />
            <Untrusted text={one.label} /> <span class="muted">{totalOf(one)}</span>
          </span>
        ))}
      </figcaption>
    </figure>
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

/** What a chart shows in one colour. */
interface Series {
  label: string
  /** The suffix of its CSS class. */
  tone: string
}

interface Point {
  at: string
  /** That of its series. */
  label: string
  count: number
}

interface Chart {
  points: Point[]
  /** In the order in which the chart stacks them. */
  series: Series[]
}

const outcomes = {
  done: 'Done',
  skipped: 'Skipped',
  received: 'Pending',
  failing: 'Failing',
  dead: 'Dead',
  quarantined: 'Quarantined',
  rejected: 'Rejected',
}

function byOutcome({ steps, notStored }: Activity): Chart {
  const points = [
    ...steps.map(({ at, state, accepted }) => ({ at, label: outcomes[state], count: accepted })),
    ...notStored.map(({ at, outcome, count }) => ({ at, label: outcomes[outcome], count })),
  ]
  const seen = new Set(points.flatMap(({ label, count }) => (count > 0 ? [label] : [])))
  const series = Object.entries(outcomes).map(([tone, label]) => ({ label, tone }))
  return { points, series: series.filter(({ label }) => seen.has(label)) }
}

/** No colour has a meaning for a type, so only the legend tells these apart. */
const tonesOfTypes = ['received', 'done', 'failing', 'quarantined', 'rejected', 'skipped'] as const
const rest = 'all others'

/** The events by type: the most frequent types, and all others as one. */
function byType({ steps }: Activity): Chart {
  const all = steps.map(({ at, type, accepted }) => ({ at, label: type, count: accepted }))
  const totals = [...sumBy(all, ({ label }) => label)]
  const sorted = totals.toSorted(([, one], [, other]) => other - one).map(([type]) => type)
  const isCut = sorted.length > tonesOfTypes.length
  const shown = isCut ? [...sorted.slice(0, tonesOfTypes.length - 1), rest] : sorted
  const points = all.map((point) =>
    shown.includes(point.label) ? point : { ...point, label: rest },
  )
  const series = shown.map((label, index) => ({ label, tone: tonesOfTypes[index] ?? 'skipped' }))
  return { points, series }
}

function sumBy(points: readonly Point[], keyOf: (point: Point) => string): Map<string, number> {
  const sums = new Map<string, number>()
  for (const point of points) sums.set(keyOf(point), (sums.get(keyOf(point)) ?? 0) + point.count)
  return sums
}
