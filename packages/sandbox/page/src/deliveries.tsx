import {
  changeRoute,
  Choose,
  linkTo,
  LiveScreen,
  RowLink,
  spell,
  State,
  Table,
  useLive,
  withMore,
} from '@feed-receiver/page-kit'
import type { Choice, ScreenProps } from '@feed-receiver/page-kit'
import type { ComponentChildren } from 'preact'
import type { ActionAnswer } from '../../src/control/actions.ts'
import { call } from './api.ts'
import { When } from './times.tsx'

export function Deliveries({ parameters }: ScreenProps) {
  const { destinationId = '', state = '' } = parameters
  const states = useChoices()?.deliveryStates ?? []
  const stateChoices = states.map((name): Choice => [name, spell(name)])
  const filter = (name: string, label: string, choices: Choice[]) => (
    <Choose
      label={label}
      choices={[['', `every ${label.toLowerCase()}`], ...choices]}
      chosen={parameters[name]}
      onChoose={(chosen) => changeRoute({ [name]: chosen })}
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
      load={() =>
        Promise.all([
          call('listDeliveries', { destinationId, state: states.find((one) => one === state) }),
          call('listDestinations', {}),
        ])
      }
    >
      {([deliveries, destinations]) => (
        <DeliveryTable
          deliveries={deliveries}
          none={
            destinationId !== '' || state !== ''
              ? 'No delivery matches. Choose every destination and every state to see all.'
              : emptyText(destinations.length)
          }
        />
      )}
    </LiveScreen>
  )
}

function emptyText(destinations: number) {
  if (destinations > 0) return 'No deliveries yet. Press t to publish an event.'
  return (
    <>
      No deliveries yet, because there is no destination.{' '}
      <a href={linkTo('destinations')}>Create one</a> with the URL of your app.
    </>
  )
}

/** The choices of a sandbox, which do not change. */
export function useChoices() {
  return useLive('choices', () => call('readChoices', {}), 60_000).answer
}

/** Converts accounts or destinations to choices. */
export function toChoices(found: readonly { id: string; name: string }[]): Choice[] {
  return found.map(({ id, name }) => [id, name])
}

interface DeliveryTableProps {
  deliveries: ActionAnswer<'listDeliveries'>
  none: ComponentChildren
}

/** Deliveries, or a sentence if there are none. */
export function DeliveryTable({ deliveries, none }: DeliveryTableProps) {
  return (
    <Table
      label="Deliveries"
      head={['State', 'Delivery', 'Destination', 'Last answer', 'When']}
      rows={deliveries}
      none={none}
      cells={(one) => [
        <State name={one.state} />,
        <RowLink to="delivery" id={one.id} title={titleOf(one)}>
          {describe(one)}
        </RowLink>,
        withMore(
          one.destinationName,
          one.destinationState === 'active' ? null : one.destinationState,
        ),
        one.lastStatus ?? one.lastErrorCode ?? '–',
        <>
          {one.nextAttemptAt !== null && 'due '}
          <When at={one.nextAttemptAt ?? one.endedAt ?? one.createdAt} />
        </>,
      ]}
    />
  )
}

type Titled = Pick<
  ActionAnswer<'listDeliveries'>[number],
  'id' | 'kind' | 'eventTitle' | 'eventType'
>

export function titleOf({ id, kind, eventTitle, eventType }: Titled): string {
  return eventTitle ?? (kind === 'test' ? 'Test delivery' : (eventType ?? `Delivery ${id}`))
}

function describe(delivery: ActionAnswer<'listDeliveries'>[number]): string {
  const { kind, eventType, attempts, state, reason } = delivery
  const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`
  const parts = [
    eventType,
    kind === 'replay' ? 'sent again' : null,
    tries,
    reason !== state && reason && spell(reason),
  ]
  return parts.filter(Boolean).join(' · ')
}
