import type { OperationKind, OperationRow } from '@feed-receiver/inbox'
import {
  Foreign,
  formatPlural,
  Head,
  linkTo,
  replaceRoute,
  Segments,
  Shown,
  useLive,
} from '@feed-receiver/page-kit'
import type { ScreenProps } from '@feed-receiver/page-kit'
import type { OverviewAnswer } from '../../src/views.ts'
import { ask } from './api.ts'
import { Figures } from './figures.tsx'
import { Pause } from './pause.tsx'
import { Plot } from './plot.tsx'
import { Verdict } from './verdict.tsx'
import { When } from './when.tsx'

const ranges = [
  ['6', '6 hours'],
  ['24', '24 hours'],
  ['168', '7 days'],
] as const

/** How the inbox is, and what came lately. */
export function Overview({ parameters: { hours = '24' } }: ScreenProps) {
  const live = useLive(hours, () => ask<OverviewAnswer>('overview', { hours }), 5_000)
  return (
    <>
      <Head title="Overview">
        <Segments
          label="Time shown"
          choices={ranges}
          value={hours}
          onChoose={(chosen) => replaceRoute('overview', { hours: chosen })}
        />
      </Head>
      <Shown live={live}>{(answer) => <Answer {...answer} />}</Shown>
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
      {operations.length > 0 && (
        <section aria-labelledby="operations-title">
          <h2 id="operations-title">Done by people</h2>
          <ul class="lines">
            {operations.map((operation) => (
              <Operation key={operation.id} operation={operation} />
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

const did: Record<OperationKind, string> = {
  retry: 'retried',
  release: 'released',
  discard: 'discarded',
}

/** What somebody did, to what, and when. */
function Operation({ operation }: { operation: OperationRow }) {
  const { kind, by, at } = operation
  return (
    <li>
      <span>
        <strong>{by === null ? 'Somebody' : <Foreign text={by} />}</strong> {did[kind]}{' '}
        <Target operation={operation} />
      </span>
      <When at={at} />
    </li>
  )
}

function Target({ operation: { eventId, entryCount, quarantineId } }: { operation: OperationRow }) {
  if (eventId !== null) {
    return (
      <a href={linkTo('entry', { id: eventId })}>
        <Foreign text={eventId} />
      </a>
    )
  }
  if (quarantineId !== null) {
    return (
      <a href={linkTo('quarantined', { id: quarantineId })}>number {quarantineId} of quarantine</a>
    )
  }
  return <>{formatPlural(entryCount, 'entry', 'entries')}</>
}
