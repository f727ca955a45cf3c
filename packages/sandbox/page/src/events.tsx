import {
  Action,
  AskFirst,
  type Choice,
  Choose,
  Facts,
  Field,
  Form,
  UntrustedLink,
  given,
  LinkIfThere,
  LiveScreen,
  RowLink,
  type ScreenProps,
  Section,
  Table,
  useFirstFocus,
  type Values,
} from '@feed-receiver/page-kit'
import type { ActionAnswer, ActionInput } from '../../src/control/actions.ts'
import { call, find, submit } from './api.ts'
import { DeliveryTable, Gone, useChoices } from './deliveries.tsx'
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
  const choices = useChoices()
  useFirstFocus(choices !== null && onDone !== undefined)
  if (!choices) return null
  const anyOf = (names: readonly string[]): Choice[] => [
    ['', 'any'],
    ...names.map((name): Choice => [name, name]),
  ]
  const publish = async ({ more, ...values }: Values) => {
    const { title } = await submit('composeEvent', values, readJson(more))
    onDone?.()
    return `Published: ${title}`
  }
  return (
    <Form label="Publish" submit={publish}>
      <Choose
        label="Type"
        name="eventType"
        choices={anyOf(choices.eventTypes)}
        chosen={firstType}
      />
      <Choose label="Provider" name="providerSlug" choices={anyOf(choices.providers)} />
      <Choose label="Confirmation" name="confirmationState" choices={confirmations} />
      <Field label="Title" name="title" placeholder="generated" />
      <details class="wide">
        <summary>Other members</summary>
        <Field label="As JSON" control={textarea} />
      </details>
    </Form>
  )
}

const confirmations = [
  ['confirmed', 'confirmed'],
  ['unconfirmed', 'unconfirmed'],
] as const

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
  const correct = ({ title: changed = '', summary: text }: Values) =>
    // An empty summary removes the old one.
    publishChange({ to: 'correct', id, content: { title: changed, summary: given(text) ?? null } })
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
          <Form label="Correct" isKept submit={correct}>
            <Field label="Title" name="title" defaultValue={title} />
            <Field label="Summary" name="summary" defaultValue={summary ?? ''} />
          </Form>
        </section>
      )}
    </>
  )
}

async function publishChange(change: ActionInput<'changeEvent'>): Promise<string> {
  await call('changeEvent', change)
  return 'Changed in the feed.'
}
