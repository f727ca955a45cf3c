import { Foreign, linkTo, spell } from '@feed-receiver/page-kit'
import type { ActionAnswer } from '../../src/control/actions.ts'
import { formatTime, When } from './times.tsx'

export type Destination = ActionAnswer<'listDestinations'>[number]

const hints: Record<number, string> = {
  400: 'The app could not read the request: often because of a body parser or a validation in front of the receiver.',
  401: 'The app could not verify the signature: its FEED_SIGNING_SECRET is a different secret, or something changed the body before the receiver read it.',
  403: 'A check in front of the receiver rejected the request: often CSRF protection, a login or a firewall.',
  404: 'The app has no route at this path: the destination has the wrong path, or the receiver is not mounted.',
  405: 'The route does not accept POST: it is mounted for another method, or the path belongs to another route.',
  410: 'The app answered that this address is permanently gone.',
  422: 'The app rejected the content: often because of a validation in front of the receiver.',
}

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
          <Foreign text={pause.responseBody} />
        </pre>
      )}
      {pause?.by === 'answer' && (
        <p>
          {pause.fault === null
            ? hints[pause.status ?? 0]
            : `That attempt had a fault: ${spell(pause.fault)}.`}{' '}
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
