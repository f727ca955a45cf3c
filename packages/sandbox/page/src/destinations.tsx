import { linkTo, LiveScreen, State } from '@feed-receiver/page-kit'
import type { ActionAnswer } from '../../src/control/actions.ts'
import { ActionForm } from './action-form.tsx'
import { call } from './api.ts'
import { toChoices } from './deliveries.tsx'
import { Changes, DestinationDetails, rulesOf } from './destination.tsx'
import { showOnce } from './once.tsx'

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
  return (
    <ActionForm
      name="createDestination"
      label="Create"
      fields={{
        name: { placeholder: 'My app' },
        url: { placeholder: 'http://localhost:3000/webhooks/feed' },
        ...(accounts.length > 1 && { accountId: { choices: toChoices(accounts) } }),
        ...rulesOf(undefined, { isMore: true }),
        secret: { label: 'Signing secret', placeholder: 'generated', isMore: true },
      }}
      more="Rules and secret"
      also={accounts[0] && { accountId: accounts[0].id }}
      onDone={({ secret }) => {
        if (secret === null) return 'Created. See its messages with its deliveries.'
        return showOnce({ title: 'The signing secret', text: forTheFirst, value: secret })
      }}
    />
  )
}

const forTheFirst =
  'Set FEED_SIGNING_SECRET of your app to it and restart the app. If another destination signs ' +
  'with the secret there, set FEED_SIGNING_SECRET_NEXT to it instead. It is not shown again.'
