import { Untrusted, linkTo, spell } from '@feed-receiver/page-kit'
import type { ActionAnswer } from '../../src/control/actions.ts'
import { formatTime, When } from './times.tsx'

export type Destination = ActionAnswer<'listDestinations'>[number]

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
        ({formatTime(stateChangedAt)}).{' '}
        {pause === null ? 'A reset has deleted the reason.' : <Cause pause={pause} />}
      </p>
      {pause?.responseBody && (
        <pre class="raw" tabIndex={0} aria-label="Answer">
          <Untrusted text={pause.responseBody} />
        </pre>
      )}
      {pause?.by === 'answer' && (
        <p>
          {pause.fault === null ? pause.hint : `That attempt had a fault: ${spell(pause.fault)}.`}{' '}
          An answer of 400, 401, 403, 404, 405, 410 or 422 to a live delivery is a permanent
          rejection: the service pauses the destination, does not retry that event, and skips new
          ones.
        </p>
      )}
      <p>
        {pause?.by === 'hand'
          ? 'Resume sends a test delivery, and a 2xx answer activates the destination again. Events are skipped until then: read them from the pull API, or send their deliveries again.'
          : 'Fix the app, then resume. That sends a test delivery, and a 2xx answer activates the destination again. Skipped events are not sent later: read them from the pull API, or send their deliveries again.'}
      </p>
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
