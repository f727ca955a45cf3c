import {
  Action,
  changeRoute,
  type Choice,
  Choose,
  Facts,
  Untrusted,
  formatDuration,
  linkTo,
  LiveScreen,
  RowLink,
  type ScreenProps,
  Section,
  spell,
  State,
  Table,
  toPretty,
  useLive,
  withMore,
} from '@feed-receiver/page-kit'
import type { ComponentChildren } from 'preact'
import type { ActionAnswer } from '../../src/control/actions.ts'
import { call, find } from './api.ts'
import { move } from './clock.tsx'
import { sendAgain, titleOf } from './send-again.ts'
import { formatTime, sandboxNow, When } from './times.tsx'

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

export function toChoices(found: readonly { id: string; name: string }[]): Choice[] {
  return found.map(({ id, name }) => [id, name])
}

interface DeliveryTableProps {
  deliveries: ActionAnswer<'listDeliveries'>
  none: ComponentChildren
}

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
          {deliverySummary(one)}
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

function deliverySummary(delivery: ActionAnswer<'listDeliveries'>[number]): string {
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

type Found = ActionAnswer<'findDelivery'>

export function Delivery({ parameters: { id = '' } }: ScreenProps) {
  const load = () => find('findDelivery', { id: Number(id) })
  return (
    <LiveScreen
      title={(found) => (found?.[0] ? <Untrusted text={titleOf(found[0])} /> : `Delivery ${id}`)}
      crumb={<a href={linkTo('deliveries')}>Deliveries</a>}
      load={load}
    >
      {([delivery]) =>
        delivery ? <DeliveryDetails delivery={delivery} /> : <Gone what="delivery" />
      }
    </LiveScreen>
  )
}

export function Gone({ what }: { what: string }) {
  return <p class="empty">This {what} does not exist. A reset may have deleted it.</p>
}

function DeliveryDetails({ delivery }: { delivery: Found }) {
  const { id, kind, state, reason, eventId, eventType, destinationId, nextAttemptAt } = delivery
  const isSendable = kind !== 'test' && delivery.destinationState === 'active'
  return (
    <>
      {kind !== 'test' && <NotActive delivery={delivery} />}
      <Facts
        facts={[
          ['State', <State name={state} />],
          reason !== null && ['Why', spell(reason)],
          eventType !== null && ['Type', eventType],
          ['Kind', kind],
          [
            'Event',
            // A test is not in the feed.
            kind === 'test' ? (
              <code>{eventId}</code>
            ) : (
              <a href={linkTo('event', { id: eventId })}>{eventId}</a>
            ),
          ],
          [
            'Destination',
            <a href={linkTo('destination', { id: destinationId })}>{delivery.destinationName}</a>,
          ],
          nextAttemptAt !== null && ['Next attempt', <When at={nextAttemptAt} />],
        ]}
      />
      <div class="tools">
        {nextAttemptAt !== null && (
          <Action
            label="Advance the clock to the next attempt"
            look="primary"
            run={() => advanceTo(nextAttemptAt)}
          />
        )}
        {isSendable && delivery.state === 'scheduled' && (
          <Action label="Retry now" run={() => sendAgain(id)} />
        )}
        {isSendable && delivery.endedAt !== null && (
          <Action label="Send again" run={() => showNext(id)} />
        )}
      </div>
      <Section title="Attempts">
        <Table
          label="Attempts"
          head={['Attempt', 'At', 'Outcome', 'Answer', 'Next']}
          rows={delivery.attemptList.map((one) => ({ ...one, id: one.attempt }))}
          none="No attempt yet. The first is made when the delivery is due."
          cells={attemptCells}
        />
      </Section>
      <Section title="Body">
        <pre class="raw" tabIndex={0}>
          {toPretty(delivery.body) ?? delivery.body}
        </pre>
      </Section>
    </>
  )
}

function attemptCells(one: Found['attemptList'][number]) {
  const { outcome, startedAt, durationMs, fault, nextDelayMs, retryAfter } = one
  const later = nextDelayMs === null ? '–' : `${formatDuration(nextDelayMs)} later`
  return [
    one.attempt,
    withMore(formatTime(startedAt), durationMs !== null && `took ${formatDuration(durationMs)}`),
    withMore(
      <State name={outcome ?? 'in_flight'} label={outcome ?? 'in progress'} />,
      fault !== null && `fault: ${spell(fault)}`,
    ),
    withMore(one.status ?? one.errorCode ?? '–', one.errorMessage ?? one.responseBody),
    withMore(later, retryAfter !== null && `Retry-After: ${retryAfter}`),
  ]
}

async function advanceTo(time: string): Promise<void> {
  await move({ to: 'advance', byMs: Math.max(0, Math.ceil(Date.parse(time) - sandboxNow())) })
}

async function showNext(id: number): Promise<string> {
  const next = await sendAgain(id)
  location.hash = linkTo('delivery', { id: next.id })
  return next.notice
}

/** Says in advance why the delivery cannot be sent again now. */
function NotActive({ delivery }: { delivery: Found }) {
  const { destinationId, destinationName, destinationState } = delivery
  if (destinationState === 'active') return null
  const open = <a href={linkTo('destination', { id: destinationId })}>Open {destinationName}</a>
  return (
    <p class="banner warn">
      {destinationName} {destinationState === 'deleted' ? 'was' : 'is'} {destinationState}, so this
      delivery cannot be sent again.{' '}
      {destinationState === 'paused' && <>{open} to see why, and to resume it.</>}
      {destinationState === 'new' && <>{open} to test and activate it.</>}
    </p>
  )
}
