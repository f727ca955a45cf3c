import {
  Choose,
  Head,
  linkTo,
  RowLink,
  Shown,
  spell,
  State,
  Table,
  useLive,
} from '@feed-receiver/page-kit'
import type { Choice, ScreenProps } from '@feed-receiver/page-kit'
import type { ActionAnswer, ActionInput } from '../../src/control/actions.ts'
import { call } from './api.ts'
import { When } from './times.tsx'

type Delivery = ActionAnswer<'listDeliveries'>[number]

interface Found {
  deliveries: Delivery[]
  destinations: ActionAnswer<'listDestinations'>
}

/** What was delivered, is being, or will be. */
export function Deliveries({ parameters }: ScreenProps) {
  const { destinationId = '', state = '' } = parameters
  const choices = useLive('choices', () => call('readChoices', {}), 60_000).answer
  const states = choices?.deliveryStates ?? []
  const live = useLive(`${destinationId} ${state}`, () =>
    askDeliveries({ destinationId, state: states.find((one) => one === state) }),
  )
  const go = (changes: Record<string, string>) => {
    location.hash = linkTo('deliveries', { ...parameters, ...changes })
  }
  return (
    <>
      <Head title="Deliveries" />
      <div class="filters">
        <Choose
          label="Destination"
          choices={[['', 'every destination'], ...toChoices(live.answer?.destinations ?? [])]}
          chosen={destinationId}
          onChoose={(chosen) => go({ destinationId: chosen })}
        />
        <Choose
          label="State"
          choices={[['', 'every state'], ...states.map((name): Choice => [name, spell(name)])]}
          chosen={state}
          onChoose={(chosen) => go({ state: chosen })}
        />
      </div>
      <Shown live={live}>
        {(found) => <DeliveryTable {...found} none="No delivery is like this." />}
      </Shown>
    </>
  )
}

export async function askDeliveries(filter: ActionInput<'listDeliveries'>): Promise<Found> {
  const [deliveries, destinations] = await Promise.all([
    call('listDeliveries', filter),
    call('listDestinations', {}),
  ])
  return { deliveries, destinations }
}

/** Accounts or destinations to choose from. */
export function toChoices(found: readonly { id: string; name: string }[]): Choice[] {
  return found.map(({ id, name }) => [id, name])
}

/** Deliveries, or the sentence that there is none. */
export function DeliveryTable({ deliveries, destinations, none }: Found & { none: string }) {
  const names = new Map(destinations.map(({ id, name }) => [id, name]))
  return (
    <Table
      label="Deliveries"
      head={['State', 'Delivery', 'Destination', 'Last answer', 'When']}
      rows={deliveries}
      none={none}
      cells={(one) => [
        <State name={one.state} />,
        <RowLink href={linkTo('delivery', { id: one.id })} title={one.eventId}>
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

function describe({ kind, attempts, reason }: Delivery): string {
  const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`
  const parts = [kind === 'live' ? null : kind, tries, reason && spell(reason)]
  return parts.filter(Boolean).join(' · ')
}
