import {
  Action,
  AskFirst,
  Facts,
  Field,
  UntrustedLink,
  given,
  LinkIfThere,
  LiveScreen,
  RowLink,
  type ScreenProps,
  Section,
  Table,
  type Values,
} from '@feed-receiver/page-kit'
import type { ActionAnswer, ActionInput } from '../../src/control/actions.ts'
import { ActionForm } from './action-form.tsx'
import { call, find } from './api.ts'
import { DeliveryTable, Gone } from './deliveries.tsx'
import { When } from './times.tsx'

type FeedEvent = ActionAnswer<'listEvents'>[number]

export function Feed() {
  return (
    <LiveScreen
      title="Events"
      top={newEvent}
      question="events"
      load={() => call('listEvents', { limit: 60 })}
    >
      {(events) => (
        <Section title="Newest events">
          <Table
            label="Events"
            head={['Event', 'Provider', 'Observed']}
            rows={events}
            none="No events yet. Publish one above, or press t on any screen."
            cells={eventCells}
            main={0}
          />
        </Section>
      )}
    </LiveScreen>
  )
}

const newEvent = (
  <div class="panel">
    <h2>Publish an event</h2>
    <ComposeForm />
  </div>
)

function eventCells(event: FeedEvent) {
  const { id, title, eventType, providerSlug, firstObservedAt } = event
  return [
    <RowLink to="event" id={id} title={title}>
      {eventType} <Marks event={event} />
    </RowLink>,
    providerSlug,
    <When at={firstObservedAt} />,
  ]
}

export function Marks({ event }: { event: Partial<FeedEvent> }) {
  return (
    <>
      {event.confirmationState !== 'confirmed' && <span class="tag warn">early signal</span>}{' '}
      {event.correctedAt && <span class="tag">corrected</span>}{' '}
      {event.retractedAt && <span class="tag bad">retracted</span>}
    </>
  )
}

interface ComposeFormProps {
  onDone?: () => void
  /** The type that is offered first. @default one that the templates handle */
  firstType?: string | undefined
}

/** Publishes an event. Missing members are made up. */
export function ComposeForm({ onDone, firstType = 'outage_started' }: ComposeFormProps) {
  return (
    <ActionForm
      name="composeEvent"
      label="Publish"
      isFocused={onDone !== undefined}
      fields={{
        eventType: { value: firstType },
        providerSlug: {},
        confirmationState: { label: 'Confirmation' },
        title: { placeholder: 'generated' },
      }}
      prepare={(input, { more }) => ({ ...input, ...readJson(more) })}
      onDone={({ title }) => {
        onDone?.()
        return `Published: ${title}`
      }}
    >
      {() => (
        <details class="wide">
          <summary>Other members</summary>
          <Field label="As JSON" control={textarea} />
        </details>
      )}
    </ActionForm>
  )
}

const textarea = (id: string) => (
  <textarea id={id} name="more" rows={4} placeholder={'{"category": "models"}'} />
)

function readJson(written: string | undefined): object {
  if (!written?.trim()) return {}
  try {
    return JSON.parse(written)
  } catch {
    throw new Error('The other members are not valid JSON. Correct them, or leave them out.')
  }
}

export function Event({ parameters: { id = '' } }: ScreenProps) {
  return (
    <LiveScreen
      title={(found) => found?.[0][0]?.title ?? 'Event'}
      question={id}
      load={() => Promise.all([find('findEvent', { id }), call('listDeliveries', { eventId: id })])}
    >
      {([[event], deliveries]) => (
        <>
          {event ? <EventDetails event={event} /> : <Gone what="event" />}
          <Section title="Deliveries">
            <DeliveryTable
              deliveries={deliveries}
              none="This event was not delivered: it is older than the destinations, or their rules do not select it."
            />
          </Section>
        </>
      )}
    </LiveScreen>
  )
}

function EventDetails({ event }: { event: ActionAnswer<'findEvent'> }) {
  const { id, title, summary, confirmationState, retractedAt } = event
  return (
    <>
      <p class="lead">
        {summary ?? 'No summary.'} <Marks event={event} />
      </p>
      <div class="tools">
        {!retractedAt && confirmationState !== 'confirmed' && (
          <Action label="Confirm" run={() => publishChange({ to: 'confirm', id })} />
        )}
        {!retractedAt && (
          <AskFirst
            label="Retract"
            question="Retract this event?"
            onYes={() => publishChange({ to: 'retract', id })}
          >
            The event stays in the feed, marked as retracted. You cannot undo this.
          </AskFirst>
        )}
        <LinkIfThere to="story" id={id} label="Show on the timeline" />
        <LinkIfThere to="entry" id={id} label="Open in the inbox" />
      </div>
      <Facts
        facts={[
          ['Type', event.eventType],
          ['Provider', event.providerSlug],
          ['Observed', <When at={event.firstObservedAt} />],
          ['Evidence', event.evidenceState],
          ['Source', <UntrustedLink url={event.sourceUrl} />],
          ['Id', <code>{id}</code>],
        ]}
      />
      <details>
        <summary>As in the API</summary>
        <pre class="raw" tabIndex={0}>
          {JSON.stringify(event, null, 2)}
        </pre>
      </details>
      {!retractedAt && (
        // The key renders new controls once the event has changed.
        <section class="panel" key={JSON.stringify([title, summary])}>
          <h2>Correct the event</h2>
          <ActionForm
            name="changeEvent"
            label="Correct"
            isKept
            fields={{
              'content.title': { value: title },
              'content.summary': { value: summary ?? '' },
            }}
            also={{ to: 'correct', id }}
            prepare={withSummary}
            onDone={() => done}
          />
        </section>
      )}
    </>
  )
}

/** An empty summary removes the old one. */
function withSummary(input: object, values: Values): object {
  const summary = given(values['content.summary']) ?? null
  return { ...input, content: { title: values['content.title'], summary } }
}

async function publishChange(to: ActionInput<'changeEvent'>): Promise<string> {
  await call('changeEvent', to)
  return done
}

const done = 'Changed in the feed.'
