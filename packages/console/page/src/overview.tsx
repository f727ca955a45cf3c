import type { OperationKind, OperationRow } from '@feed-receiver/inbox'
import {
  Untrusted,
  formatPlural,
  linkTo,
  LiveScreen,
  Section,
  Views,
} from '@feed-receiver/page-kit'
import type { ScreenProps } from '@feed-receiver/page-kit'
import type { ViewAnswer } from '../../src/views.ts'
import { ask } from './api.ts'
import { Failures } from './failures.tsx'
import { Figures } from './figures.tsx'
import { PauseButton } from './pause-button.tsx'
import { Pauses } from './pauses.tsx'
import { Plot } from './plot.tsx'
import { PausedByRejection, Rejected, Strangers } from './rejected.tsx'
import { Pause, Problems, Warnings } from './verdict.tsx'
import { lengths, When } from './words.tsx'

const charts = [
  ['outcome', 'By outcome'],
  ['type', 'By type'],
] as const

export function Overview({ parameters: { hours = '24', by = 'outcome' } }: ScreenProps) {
  return (
    <LiveScreen
      title="Overview"
      beside={
        <>
          <Views name="hours" label="Time shown" choices={lengths} value={hours} />
          <PauseButton />
        </>
      }
      question={hours}
      load={() => ask('overview', { hours })}
      everyMs={5_000}
    >
      {(answer) => <Answer {...answer} by={by} />}
    </LiveScreen>
  )
}

function Answer(props: ViewAnswer<'overview'> & { by: string }) {
  const { health, errors, activity, operations, rejections, strangers, alerts, by } = props
  const paused = health.warnings.find(({ code }) => code === 'deliveries_rejected')
  return (
    <>
      <Problems health={health} alerts={alerts} />
      <Failures errors={errors} />
      {paused ? (
        <PausedByRejection message={paused.message} />
      ) : (
        <Pause gaps={health.gaps} hasLink />
      )}
      <Pauses pauses={health.pauses ?? []} />
      <Rejected
        rejections={rejections}
        lastDeliveryAt={activity?.lastDeliveryAt ?? null}
        told={paused?.message}
      />
      <Warnings health={health} alerts={alerts} />
      {activity && (
        <>
          <Figures health={health} activity={activity} />
          <Section
            title="Deliveries"
            beside={<Views name="by" label="Chart" choices={charts} value={by} />}
          >
            <Plot activity={activity} by={by} />
            {!activity.isExact && (
              <p class="hint">There are too many deliveries, so only the latest are shown.</p>
            )}
          </Section>
        </>
      )}
      <Strangers rejections={strangers} lastDeliveryAt={activity?.lastDeliveryAt ?? null} />
      {operations.length > 0 && (
        <Section title="Actions by people">
          <ul class="lines">
            {operations.map((operation) => (
              <Operation key={operation.id} operation={operation} />
            ))}
          </ul>
        </Section>
      )}
    </>
  )
}

const did: Record<OperationKind, string> = {
  retry: 'retried',
  reprocess: 'reprocessed',
  release: 'released',
  discard: 'discarded',
  pause: 'paused',
  resume: 'resumed',
}

function Operation({ operation }: { operation: OperationRow }) {
  const { kind, by, at, eventId, entryCount, quarantineId, detail } = operation
  const entry = eventId !== null && (
    <a href={linkTo('entry', { id: eventId })}>
      <Untrusted text={eventId} />
    </a>
  )
  const quarantined = quarantineId !== null && (
    <a href={linkTo('quarantined', { id: quarantineId })}>quarantined delivery {quarantineId}</a>
  )
  // For a pause, the detail says which types are paused, and why.
  const more = entryCount === 0 && detail !== null && <Untrusted text={detail} />
  return (
    <li>
      <span>
        <strong>{by === null ? 'Somebody' : <Untrusted text={by} />}</strong> {did[kind]}{' '}
        {entry || quarantined || more || formatPlural(entryCount, 'entry', 'entries')}
        {entryCount > 0 && detail !== null && [' (', <Untrusted text={detail} />, ')']}
      </span>
      <When at={at} />
    </li>
  )
}
