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
        Its URL and secrets are erased, and its pending deliveries are cancelled.
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
  if (!isAccepted) throw new Error(`Test not accepted: ${why}.`)
  return status === null
    ? 'Message created. See it with its deliveries.'
    : `Test accepted with ${status}.`
}

// If the user replaced the old secret now, the app would reject every delivery for a day, and the
// first 401 pauses the feed.
const forTheNext =
  'Do not change FEED_SIGNING_SECRET. Set FEED_SIGNING_SECRET_NEXT to this secret and restart ' +
  'your app now, so that it accepts both. The old secret signs for 24 hours, then this one. Move it ' +
  'to FEED_SIGNING_SECRET only after your app has accepted a delivery signed with it. It is not shown again.'
