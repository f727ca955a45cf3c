import {
  Action,
  AskFirst,
  Choose,
  Facts,
  Field,
  Form,
  given,
  linkTo,
  LiveScreen,
  type ScreenProps,
  Section,
  spell,
  State,
  type Values,
} from '@feed-receiver/page-kit'
import type { ActionAnswer } from '../../src/control/actions.ts'
import { call, submit } from './api.ts'
import { DeliveryTable, Gone, toChoices } from './deliveries.tsx'
import { Lines } from './lines.tsx'
import { showOnce } from './once.tsx'
import { type Destination, WhyPaused } from './pause.tsx'
import { When } from './times.tsx'

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
          {destinations.length === 0 && (
            <p class="empty">
              No destinations yet. Create one below with the URL of your app, set
              FEED_SIGNING_SECRET of the app to its secret, and test it.
            </p>
          )}
          <div class="cards">
            {destinations.map((one) => (
              <article key={one.id} class="card" aria-label={one.name}>
                <div class="card-head">
                  <h2>
                    <a href={linkTo('destination', { id: one.id })}>{one.name}</a>
                  </h2>
                  <State name={one.state} />
                </div>
                <DestinationDetails destination={one} />
              </article>
            ))}
          </div>
          <div class="panel">
            <h2>New destination</h2>
            <NewDestination accounts={accounts} />
          </div>
          <Changes changes={changes} />
        </>
      )}
    </LiveScreen>
  )
}

function NewDestination({ accounts }: { accounts: ActionAnswer<'listAccounts'> }) {
  const create = async (values: Values) => {
    const account = accounts[0] && { accountId: accounts[0].id }
    const { secret } = await submit('createDestination', ...withRules({ ...account, ...values }))
    if (secret === null) return 'Created. See its messages with its deliveries.'
    return showOnce({ title: 'The signing secret', text: forTheFirst, value: secret })
  }
  return (
    <Form label="Create" submit={create}>
      <Field label="Name" name="name" placeholder="My app" required />
      <Field label="URL" name="url" placeholder="http://localhost:3000/webhooks/feed" required />
      {accounts.length > 1 && (
        <Choose label="Account" name="accountId" choices={toChoices(accounts)} />
      )}
      <details class="wide">
        <summary>Rules and secret</summary>
        <div class="form">
          <RuleFields />
          <Field label="Signing secret" name="secret" placeholder="generated" />
        </div>
      </details>
    </Form>
  )
}

const forTheFirst =
  'Set FEED_SIGNING_SECRET of your app to it and restart the app. If another destination signs ' +
  'with the secret there, set FEED_SIGNING_SECRET_NEXT to it instead. It is not shown again.'

/** One destination: its state with the reason, its deliveries, and their results. */
export function DestinationScreen({ parameters: { id = '' } }: ScreenProps) {
  const isIt = (one: { id: string }) => one.id === id
  const load = () =>
    Promise.all([
      call('listDestinations', {}),
      call('listDeliveries', { destinationId: id, limit: 20 }),
      call('listDestinationChanges', { destinationId: id, limit: 20 }),
    ])
  return (
    <LiveScreen
      title={(found) => found?.[0].find(isIt)?.name ?? 'Destination'}
      beside={(found) => {
        const state = found?.[0].find(isIt)?.state
        return state && <State name={state} />
      }}
      crumb={<a href={linkTo('destinations')}>Destinations</a>}
      question={id}
      load={load}
    >
      {([destinations, deliveries, changes]) => {
        const destination = destinations.find(isIt)
        if (!destination) return <Gone what="destination" />
        return (
          <>
            <article class="card" aria-label={destination.name}>
              <DestinationDetails destination={destination} />
            </article>
            <Section title="Newest deliveries">
              <DeliveryTable
                deliveries={deliveries}
                none="No deliveries yet. Test the destination, or press t to publish an event."
              />
            </Section>
            <Changes changes={changes} />
          </>
        )
      }}
    </LiveScreen>
  )
}

function Changes({ changes }: { changes: ActionAnswer<'listDestinationChanges'> }) {
  return (
    <Section title="History">
      <Lines none="No history yet. Tests, pauses and changes appear here.">
        {changes.map(({ id, destinationId, at, change, detail, deliveryId }) => (
          <li key={id}>
            <span>
              <strong>{spell(change)}</strong> {detail ?? ''}{' '}
              {deliveryId === null ? (
                <code class="muted">{destinationId}</code>
              ) : (
                <a href={linkTo('delivery', { id: deliveryId })}>delivery {deliveryId}</a>
              )}
            </span>
            <When at={at} />
          </li>
        ))}
      </Lines>
    </Section>
  )
}

function DestinationDetails({ destination }: { destination: Destination }) {
  const { id, name, kind, address, state, stateChangedAt, newSecretAt, rules } = destination
  const all = (list: readonly string[]) => (list.length === 0 ? 'all' : list.join(', '))
  return (
    <>
      <p class="under">{kind === 'signed' ? address : `${kind} · ${address}`}</p>
      {state === 'paused' ? (
        <WhyPaused {...destination} />
      ) : (
        <p class="under">
          {state} since <When at={stateChangedAt} />
        </p>
      )}
      <Facts
        facts={[
          ['Providers', all(rules.providers)],
          ['Categories', all(rules.categories)],
          ['Types', all(rules.types)],
          ['Confirmation', rules.confirmation],
          newSecretAt !== null && ['New secret signs', <When at={newSecretAt} />],
        ]}
      />
      <DestinationTools {...destination} />
      <details>
        <summary>Change the rules</summary>
        <Form
          label="Save"
          isKept
          submit={(values) => submit('changeDestination', ...withRules({ ...values, id }))}
        >
          <Field label="Name" name="name" defaultValue={name} />
          <RuleFields rules={rules} />
        </Form>
      </details>
    </>
  )
}

const confirmations = [
  ['confirmed', 'confirmed'],
  ['all', 'all'],
] as const

/** The fields of the rules, whose values `withRules` reads. */
function RuleFields({ rules }: { rules?: Destination['rules'] }) {
  const list = (label: string, name: 'providers' | 'categories' | 'types') => (
    <Field label={label} name={name} placeholder="all" defaultValue={rules?.[name].join(', ')} />
  )
  return (
    <>
      {list('Providers', 'providers')}
      {list('Categories', 'categories')}
      {list('Types', 'types')}
      <Choose
        label="Confirmation"
        name="confirmation"
        choices={confirmations}
        chosen={rules?.confirmation}
      />
    </>
  )
}

/** The values of a form, and beside them its rules. */
function withRules(values: Values): [values: Values, others: { rules: object }] {
  const { providers, categories, types, confirmation, ...others } = values
  const toList = (text = '') => text.split(',').flatMap((part) => given(part) ?? [])
  const rules = {
    providers: toList(providers),
    categories: toList(categories),
    types: toList(types),
    confirmation,
  }
  return [others, { rules }]
}

const testLabels = { new: 'Test and activate', paused: 'Resume', active: 'Test' }

function DestinationTools({ id, name, kind, state, newSecretAt }: Destination) {
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
