import type { Activity } from '@feed-receiver/inbox'
import { Foreign, formatNumber, formatPlural } from '@feed-receiver/page-kit'

const heightPx = 168
const maxTypes = 5

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric' })

/** What came in each step of the time, by type: the five that came most, and the rest as one. */
export function Plot({ activity }: { activity: Activity }) {
  const { steps, stepSeconds, since } = activity
  const stepMs = stepSeconds * 1_000
  const begin = Math.floor(Date.parse(since) / stepMs) * stepMs
  const count = Math.floor((Date.now() - begin) / stepMs) + 1
  const types = typesOf(activity)
  const columns = Array.from({ length: count }, (_, index) => {
    const at = begin + index * stepMs
    const inStep = steps.filter((step) => Date.parse(step.at) === at)
    const values = [...types.keys()].map((type) => acceptedOf(inStep, types, type))
    return { at, values, total: values.reduce((sum, value) => sum + value, 0) }
  })
  const highest = Math.max(1, ...columns.map(({ total }) => total))
  const sum = columns.reduce((all, { total }) => all + total, 0)
  if (sum === 0) return <p class="empty">Nothing came in this time.</p>
  const width = 100 / count
  const nameOf = (at: number) =>
    stepSeconds > 3_600 ? `${day.format(at)}, ${clock.format(at)}` : clock.format(at)

  return (
    <figure class="box plot">
      <svg
        width="100%"
        height={heightPx}
        role="img"
        aria-label={`${formatPlural(sum, 'event', 'events')} over time, at most ${highest} at once`}
      >
        <line class="grid" x1="0" x2="100%" y1="0.5" y2="0.5" />
        <line class="grid" x1="0" x2="100%" y1={heightPx / 2} y2={heightPx / 2} />
        <line class="grid" x1="0" x2="100%" y1={heightPx - 0.5} y2={heightPx - 0.5} />
        {columns.map(({ at, values, total }, index) => (
          <g key={at}>
            <title>{`${nameOf(at)}: ${formatPlural(total, 'event', 'events')}`}</title>
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
        {[...types].map(([type, total], index) => (
          <span key={type}>
            <span class={`swatch tone-${index}`} aria-hidden="true" />
            <Foreign text={type} /> <span class="muted">{formatNumber(total)}</span>
          </span>
        ))}
      </figcaption>
    </figure>
  )
}

const rest = 'all others'

/** The types that are shown apart, with how many came of each. */
function typesOf({ steps }: Activity): Map<string, number> {
  const totals = new Map<string, number>()
  for (const { type, accepted } of steps) totals.set(type, (totals.get(type) ?? 0) + accepted)
  const sorted = [...totals].toSorted(([, a], [, b]) => b - a)
  if (sorted.length <= maxTypes + 1) return new Map(sorted)
  const others = sorted.slice(maxTypes).reduce((sum, [, count]) => sum + count, 0)
  return new Map([...sorted.slice(0, maxTypes), [rest, others]])
}

function acceptedOf(steps: Activity['steps'], types: Map<string, number>, type: string): number {
  return steps
    .filter((step) => step.type === type || (type === rest && !types.has(step.type)))
    .reduce((sum, { accepted }) => sum + accepted, 0)
}

function bars(values: number[], highest: number) {
  let top = heightPx - 1
  return values.flatMap((value, tone) => {
    if (value === 0) return []
    // One event beside thousands is still to be seen.
    const height = Math.max(2, (value / highest) * (heightPx - 8))
    top -= height
    return [{ y: top, height: Math.max(1, height - 1), tone }]
  })
}
