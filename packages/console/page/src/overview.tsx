import type { OperationRow } from '@feed-receiver/inbox'
import type { OverviewAnswer } from '../../src/views.ts'
import { ask } from './api.ts'
import { Figures } from './figures.tsx'
import { OperationLine } from './operation-line.tsx'
import { Pause } from './pause.tsx'
import { Plot } from './plot.tsx'
import { Problem } from './problem.tsx'
import { linkTo, replaceRoute } from './route.ts'
import type { ScreenProps } from './screens.tsx'
import { useLive } from './use-live.ts'
import { Verdict } from './verdict.tsx'

const ranges = [
  { hours: '6', label: '6 hours' },
  { hours: '24', label: '24 hours' },
  { hours: '168', label: '7 days' },
]

/** How the inbox is, and what came lately. */
export function Overview({ parameters }: ScreenProps) {
  const hours = parameters['hours'] ?? '24'
  const live = useLive(hours, () => ask<OverviewAnswer>('overview', { hours }), 5_000)
  return (
    <>
      <div class="head">
        <h1 tabIndex={-1}>Overview</h1>
        <div class="segments" role="group" aria-label="Time shown">
          {ranges.map((range) => (
            <button
              key={range.hours}
              aria-pressed={range.hours === hours}
              onClick={() => replaceRoute(linkTo('overview', { hours: range.hours }))}
            >
              {range.label}
            </button>
          ))}
        </div>
      </div>
      <Problem error={live.error} />
      {live.answer && <Answer {...live.answer} />}
    </>
  )
}

function Answer({ health, activity, operations }: OverviewAnswer) {
  return (
    <>
      <Pause gaps={health.gaps} hasLink />
      <Verdict health={health} />
      <Figures health={health} activity={activity} />
      <section aria-labelledby="plot-title">
        <h2 id="plot-title">Events by type</h2>
        <Plot activity={activity} />
        {!activity.isExact && <p class="hint">So many came that only the latest are shown.</p>}
      </section>
      {operations.length > 0 && <Operations operations={operations} />}
    </>
  )
}

function Operations({ operations }: { operations: OperationRow[] }) {
  return (
    <section aria-labelledby="operations-title">
      <h2 id="operations-title">Done by people</h2>
      <ul class="lines">
        {operations.map((operation) => (
          <OperationLine key={operation.id} operation={operation} />
        ))}
      </ul>
    </section>
  )
}
