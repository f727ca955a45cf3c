import { Foreign, linkTo, spell } from '@feed-receiver/page-kit'
import type { ActionAnswer } from '../../src/control/actions.ts'
import texts from './pauses.json' with { type: 'json' }
import { formatTime, When } from './times.tsx'

export type Destination = ActionAnswer<'listDestinations'>[number]

const hints = new Map(Object.entries(texts.hints))

/** Shows why a destination is paused, since when, and what to do. */
export function WhyPaused({
  pause,
  stateChangedAt,
}: Pick<Destination, 'pause' | 'stateChangedAt'>) {
  return (
    <div class="box why">
      <p>
        <strong>
          Paused <When at={stateChangedAt} />
        </strong>{' '}
        ({formatTime(stateChangedAt)}). {pause === null ? texts.forgotten : <Cause pause={pause} />}
      </p>
      {pause?.responseBody && (
        <pre class="raw" tabIndex={0} aria-label="Answer">
          <Foreign text={pause.responseBody} />
        </pre>
      )}
      {pause?.by === 'answer' && (
        <p>
          {pause.fault === null
            ? hints.get(String(pause.status))
            : `That attempt had a fault: ${spell(pause.fault)}.`}{' '}
          {texts.rule}
        </p>
      )}
      <p>{pause?.by === 'hand' ? texts.nextByHand : texts.next}</p>
    </div>
  )
}

function Cause({ pause }: { pause: NonNullable<Destination['pause']> }) {
  const { by, status, deliveryId, attempt } = pause
  if (by === 'hand') return <>Somebody paused it on this page.</>
  const delivery = deliveryId !== null && (
    <>
      {' '}
      to {attempt === null ? '' : `attempt ${attempt} of `}
      <a href={linkTo('delivery', { id: deliveryId })}>delivery {deliveryId}</a>
    </>
  )
  return (
    <>
      It answered <strong>{status}</strong>
      {delivery}.
    </>
  )
}
