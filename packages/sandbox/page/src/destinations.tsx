import {
  Action,
  AskFirst,
  Facts,
  linkTo,
  LiveScreen,
  Section,
  spell,
  State,
} from '@feed-receiver/page-kit'
import type { ActionAnswer } from '../../src/control/actions.ts'
import { ActionForm, type FieldLook } from './action-form.tsx'
import { call } from './api.ts'
import { toChoices } from './deliveries.tsx'
import { showOnce } from './once.tsx'
import { When } from './times.tsx'

type Destination = ActionAnswer<'listDestinations'>[number]

/** Where alerts go. */
export function Destinations() {
  const load = () =>
    Promise.all([
      call('listDestinations', {}),
      call('listDestinationChanges', { limit: 20 }),
      call('listAccounts', {}),
    ])
  return (
    <LiveScreen title="Destinations" load={load}>
      {([destinations, changes, accounts]) => (
        <>
          {destinations.length === 0 && <p class="empty">There is no destination yet.</p>}
          <div class="cards">
            {destinations.map((one) => (
              <Card key={one.id} {...one} />
            ))}
          </div>
          <div class="panel">
            <h2>New destination</h2>
            <NewDestination accounts={accounts} />
          </div>
          <Section title="What became of them">
            <ul class="lines">
              {changes.map(({ id, destinationId, at, change, detail }) => (
                <li key={id}>
                  <span>
                    <strong>{spell(change)}</strong> {detail ?? ''}{' '}
                    <code class="muted">{destinationId}</code>
                  </span>
                  <When at={at} />
                </li>
              ))}
            </ul>
          </Section>
        </>
      )}
    </LiveScreen>
  )
}

function NewDestination({ accounts }: { accounts: ActionAnswer<'listAccounts'> }) {
  return (
    <ActionForm
      name="createDestination"
      label="Create"
      fields={{
        name: { placeholder: 'My app' },
        url: { placeholder: 'http://localhost:3000/webhooks/feed' },
        ...(accounts.length > 1 && { accountId: { choices: toChoices(accounts) } }),
        ...rulesOf(undefined, { isMore: true }),
        secret: { label: 'Signing secret', placeholder: 'a new one', isMore: true },
      }}
      more="Rules and secret"
      also={accounts[0] && { accountId: accounts[0].id }}
      onDone={({ secret }) => {
        if (secret === null) return 'Made. Messages for it are shown with its deliveries.'
        return showOnce({ title: 'The signing secret', text: forTheFirst, value: secret })
      }}
    />
  )
}

function rulesOf(rules?: Destination['rules'], look: FieldLook = {}) {
  const list = (value: string[] | undefined) => ({ value, placeholder: 'all', ...look })
  return {
    'rules.providers': list(rules?.providers),
    'rules.categories': list(rules?.categories),
    'rules.types': list(rules?.types),
    'rules.confirmation': { value: rules?.confirmation ?? 'confirmed', ...look },
  }
}

function Card(destination: Destination) {
  const { id, name, address, kind, state, stateChangedAt, newSecretAt, rules } = destination
  const all = (list: readonly string[]) => (list.length === 0 ? 'all' : list.join(', '))
  const isActive = state === 'active'
  return (
    <article class="card" aria-label={name}>
      <div class="card-head">
        <h2>{name}</h2>
        <State name={state} />
      </div>
      <p class="under">{kind === 'signed' ? address : `${kind} · ${address}`}</p>
      <p class="under">
        {state} since <When at={stateChangedAt} />
      </p>
      <Facts
        facts={[
          ['Providers', all(rules.providers)],
          ['Categories', all(rules.categories)],
          ['Types', all(rules.types)],
          ['Confirmation', rules.confirmation],
          newSecretAt !== null && ['The new secret signs', <When at={newSecretAt} />],
        ]}
      />
      <div class="tools">
        <Action
          label={isActive ? 'Test' : 'Test and activate'}
          look={isActive ? '' : 'primary'}
          run={() => test(id)}
        />
        {isActive && <Action label="Pause" run={() => call('pauseDestination', { id })} />}
        {kind === 'signed' && newSecretAt === null && (
          <Action label="Rotate the secret" run={() => rotate(id)} />
        )}
        {kind === 'signed' && newSecretAt !== null && (
          <Action label="Cancel the rotation" run={() => call('cancelRotation', { id })} />
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
      <details>
        <summary>Change its rules</summary>
        <ActionForm
          name="changeDestination"
          label="Save"
          isKept
          fields={{ name: { value: name }, ...rulesOf(rules) }}
          also={{ id }}
        />
      </details>
    </article>
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

const forTheFirst =
  'Put it into FEED_SIGNING_SECRET of your app and restart the app. If another destination signs ' +
  'with the secret there, put this one into FEED_SIGNING_SECRET_NEXT instead. It is not shown again.'

// In place of the old secret it would refuse everything for a day, and the first 401 pauses the feed.
const forTheNext =
  'Leave FEED_SIGNING_SECRET as it is. Put this secret into FEED_SIGNING_SECRET_NEXT and restart ' +
  'your app now, so that it accepts both. For 24 hours the old secret signs, then this one. Move it ' +
  'to FEED_SIGNING_SECRET only when your app has accepted a delivery signed with it. It is not shown again.'
