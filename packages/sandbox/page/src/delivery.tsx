import {
  Action,
  Facts,
  linkTo,
  LiveScreen,
  type ScreenProps,
  Section,
  spell,
  State,
  Table,
  toPretty,
  withMore,
} from '@feed-receiver/page-kit'
import type { ActionAnswer } from '../../src/control/actions.ts'
import { call, find } from './api.ts'
import { move } from './clock.tsx'
import { formatDuration, formatTime, sandboxNow, When } from './times.tsx'

type Found = ActionAnswer<'findDelivery'>

/** One delivery, with every attempt. */
export function Delivery({ parameters: { id = '' } }: ScreenProps) {
  const load = () => find('findDelivery', { id: Number(id) })
  return (
    <LiveScreen title={`Delivery ${id}`} load={load}>
      {([delivery]) => (delivery ? <Details delivery={delivery} /> : <Gone what="delivery" />)}
    </LiveScreen>
  )
}

export function Gone({ what }: { what: string }) {
  return <p class="empty">There is no such {what}. A reset may have taken it away.</p>
}

function Details({ delivery }: { delivery: Found }) {
  const { id, kind, state, reason, eventId, destinationId, endedAt, nextAttemptAt } = delivery
  return (
    <>
      <Facts
        facts={[
          ['State', <State name={state} />],
          reason !== null && ['Why', spell(reason)],
          ['Kind', kind],
          ['Event', <a href={linkTo('event', { id: eventId })}>{eventId}</a>],
          ['Destination', <a href={linkTo('destinations')}>{destinationId}</a>],
          nextAttemptAt !== null && ['Next attempt', <When at={nextAttemptAt} />],
        ]}
      />
      <div class="tools">
        {nextAttemptAt !== null && (
          <Action
            label="Advance the clock to it"
            look="primary"
            run={() => advanceTo(nextAttemptAt)}
          />
        )}
        {kind !== 'test' && endedAt !== null && (
          <Action label="Send again" run={() => resend(id)} />
        )}
      </div>
      <Section title="Attempts">
        <Table
          label="Attempts"
          head={['Attempt', 'At', 'Outcome', 'Answer', 'Next']}
          rows={delivery.attemptList.map((one) => ({ ...one, id: one.attempt }))}
          none="None was made yet."
          cells={cellsOf}
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

function cellsOf(one: Found['attemptList'][number]) {
  const { outcome, startedAt, durationMs, fault, nextDelayMs, retryAfter } = one
  const later = nextDelayMs === null ? '–' : `${formatDuration(nextDelayMs)} later`
  return [
    one.attempt,
    withMore(formatTime(startedAt), durationMs !== null && `took ${formatDuration(durationMs)}`),
    withMore(
      <State name={outcome ?? 'in_flight'} label={outcome ?? 'under way'} />,
      fault !== null && `fault: ${spell(fault)}`,
    ),
    withMore(one.status ?? one.errorCode ?? '–', one.errorMessage ?? one.responseBody),
    withMore(later, retryAfter !== null && `Retry-After: ${retryAfter}`),
  ]
}

async function advanceTo(time: string): Promise<void> {
  await move({ to: 'advance', byMs: Math.max(0, Math.ceil(Date.parse(time) - sandboxNow())) })
}

async function resend(id: number): Promise<string> {
  const { id: next } = await call('resendDelivery', { id })
  location.hash = linkTo('delivery', { id: next })
  return 'It is sent once more.'
}
