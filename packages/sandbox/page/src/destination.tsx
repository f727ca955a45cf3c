import { LiveScreen, linkTo, Section, spell, State } from '@feed-receiver/page-kit'
import type { ScreenProps } from '@feed-receiver/page-kit'
import type { ActionAnswer } from '../../src/control/actions.ts'
import { call } from './api.ts'
import { DeliveryTable } from './deliveries.tsx'
import { Gone } from './delivery.tsx'
import { DestinationDetails } from './destination-details.tsx'
import { When } from './times.tsx'

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

/** The log of destinations. */
export function Changes({ changes }: { changes: ActionAnswer<'listDestinationChanges'> }) {
  return (
    <Section title="History">
      {changes.length === 0 && (
        <p class="empty">No history yet. Tests, pauses and changes appear here.</p>
      )}
      <ul class="lines">
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
      </ul>
    </Section>
  )
}
