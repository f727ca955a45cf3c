import {
  Choose,
  linkTo,
  LiveScreen,
  RowLink,
  spell,
  State,
  Table,
  useLive,
} from '@feed-receiver/page-kit'
import type { Choice, ScreenProps } from '@feed-receiver/page-kit'
import type { ActionAnswer, ActionInput } from '../../src/control/actions.ts'
import { call } from './api.ts'
import { When } from './times.tsx'

type Found = readonly [ActionAnswer<'listDeliveries'>, ActionAnswer<'listDestinations'>]

/** What was delivered, is being, or will be. */
export function Deliveries({ parameters }: ScreenProps) {
  const { destinationId = '', state = '' } = parameters
  const states = useChoices()?.deliveryStates ?? []
  const stateChoices = states.map((name): Choice => [name, spell(name)])
  const filter = (name: string, label: string, choices: Choice[]) => (
    <Choose
      label={label}
      choices={[['', `every ${label.toLowerCase()}`], ...choices]}
      chosen={parameters[name]}
      onChoose={(chosen) => {
        location.hash = linkTo('deliveries', { ...parameters, [name]: chosen })
      }}
    />
  )
  return (
    <LiveScreen
      title="Deliveries"
      top={(found) => (
        <div class="filters">
          {filter('destinationId', 'Destination', toChoices(found?.[1] ?? []))}
          {filter('state', 'State', stateChoices)}
        </div>
      )}
      question={`${destinationId} ${state}`}
      load={() => askDeliveries({ destinationId, state: states.find((one) => one === state) })}
    >
      {(found) => <DeliveryTable found={found} none="No delivery is like this." />}
    </LiveScreen>
  )
}

/** What can be chosen in a sandbox, which stays as it is. */
export function useChoices() {
  return useLive('choices', () => call('readChoices', {}), 60_000).answer
}

export async function askDeliveries(filter: ActionInput<'listDeliveries'>): Promise<Found> {
  return await Promise.all([call('listDeliveries', filter), call('listDestinations', {})])
}

/** Accounts or destinations to choose from. */
export function toChoices(found: readonly { id: string; name: string }[]): Choice[] {
  return found.map(({ id, name }) => [id, name])
}

/** Deliveries, or the sentence that there is none. */
export function DeliveryTable({ found, none }: { found: Found; none: string }) {
  const [deliveries, destinations] = found
  const names = new Map(destinations.map(({ id, name }) => [id, name]))
  return (
    <Table
      label="Deliveries"
      head={['State', 'Delivery', 'Destination', 'Last answer', 'When']}
      rows={deliveries}
      none={none}
      cells={(one) => [
        <State name={one.state} />,
        <RowLink to="delivery" id={one.id} title={one.eventId}>
          {describe(one)}
        </RowLink>,
        names.get(one.destinationId) ?? 'deleted',
        one.lastStatus ?? one.lastErrorCode ?? '–',
        <>
          {one.nextAttemptAt !== null && 'due '}
          <When at={one.nextAttemptAt ?? one.endedAt ?? one.createdAt} />
        </>,
      ]}
    />
  )
}

function describe({ kind, attempts, reason }: Found[0][number]): string {
  const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`
  const parts = [kind === 'live' ? null : kind, tries, reason && spell(reason)]
  return parts.filter(Boolean).join(' · ')
}
