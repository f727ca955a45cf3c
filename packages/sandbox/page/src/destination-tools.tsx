import { Action, AskFirst, linkTo } from '@feed-receiver/page-kit'
import { call } from './api.ts'
import { showOnce } from './once.tsx'
import type { Destination } from './pause.tsx'

const testLabels = { new: 'Test and activate', paused: 'Resume', active: 'Test' }

/** The actions on a destination. */
export function DestinationTools({ id, name, kind, state, newSecretAt }: Destination) {
  const isActive = state === 'active'
  const isSigned = kind === 'signed'
  return (
    <div class="tools">
      <Action
        label={testLabels[state]}
        look={isActive ? '' : 'primary'}
        of={id}
        run={() => test(id)}
      />
      {isActive && <Action label="Pause" of={id} run={() => call('pauseDestination', { id })} />}
      {isSigned && newSecretAt === null && (
        <Action label="Rotate the secret" of={id} run={() => rotate(id)} />
      )}
      {isSigned && newSecretAt !== null && (
        <Action label="Cancel the rotation" of={id} run={() => call('cancelRotation', { id })} />
      )}
      <a class="button" href={linkTo('deliveries', { destinationId: id })}>
        Deliveries
      </a>
      <AskFirst
        label="Delete"
        question={`Delete ${name}?`}
        look="quiet"
        onYes={() => call('deleteDestination', { id })}
      >
        Its address and secrets are erased, and what is pending for it is cancelled.
      </AskFirst>
    </div>
  )
}

async function rotate(id: string): Promise<void> {
  const { secret } = await call('rotateSecret', { id })
  showOnce({ title: 'The new signing secret', text: forTheNext, value: secret })
}

async function test(id: string): Promise<string> {
  const { isAccepted, status, errorCode, cause } = await call('testDestination', { id })
  const why = status === null ? (errorCode ?? cause) : `it answered ${status}`
  if (!isAccepted) throw new Error(`The test was not accepted: ${why}.`)
  return status === null
    ? 'The message was made. It is shown with its deliveries.'
    : `The test was accepted with ${status}.`
}

// If the user replaced the old secret now, the app would reject every delivery for a day, and the
// first 401 pauses the feed.
const forTheNext =
  'Leave FEED_SIGNING_SECRET as it is. Put this secret into FEED_SIGNING_SECRET_NEXT and restart ' +
  'your app now, so that it accepts both. For 24 hours the old secret signs, then this one. Move it ' +
  'to FEED_SIGNING_SECRET only when your app has accepted a delivery signed with it. It is not shown again.'
