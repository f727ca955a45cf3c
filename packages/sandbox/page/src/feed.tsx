import { Field, LiveScreen, RowLink, Section, Table } from '@feed-receiver/page-kit'
import type { ActionAnswer } from '../../src/control/actions.ts'
import { ActionForm } from './action-form.tsx'
import { call } from './api.ts'
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
            cells={cellsOf}
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

function cellsOf(event: FeedEvent) {
  const { id, title, eventType, providerSlug, firstObservedAt } = event
  return [
    <RowLink to="event" id={id} title={title}>
      {eventType} <Marks event={event} />
    </RowLink>,
    providerSlug,
    <When at={firstObservedAt} />,
  ]
}

/** A tag for each change of an event. */
export function Marks({ event }: { event: Partial<FeedEvent> }) {
  return (
    <>
      {event.confirmationState !== 'confirmed' && <span class="tag warn">early signal</span>}{' '}
      {event.correctedAt && <span class="tag">corrected</span>}{' '}
      {event.retractedAt && <span class="tag bad">retracted</span>}
    </>
  )
}

/** Publishes an event. Missing members are made up. */
export function ComposeForm({ onDone }: { onDone?: () => void }) {
  return (
    <ActionForm
      name="composeEvent"
      label="Publish"
      isFocused={onDone !== undefined}
      fields={{
        eventType: { value: 'release_note' },
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
