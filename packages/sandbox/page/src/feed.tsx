import { Field, LiveScreen, RowLink, Section, Table } from '@feed-receiver/page-kit'
import type { ActionAnswer } from '../../src/control/actions.ts'
import { ActionForm } from './action-form.tsx'
import { call } from './api.ts'
import { When } from './times.tsx'

type FeedEvent = ActionAnswer<'listEvents'>[number]

/** What is in the feed, and what is to come next. */
export function Feed() {
  return (
    <LiveScreen
      title="Feed"
      top={newEvent}
      question="events"
      load={() => call('listEvents', { limit: 60 })}
    >
      {(events) => (
        <Section title="The newest events">
          <Table
            label="Events"
            head={['Event', 'Provider', 'Observed']}
            rows={events}
            none="Nothing was published yet."
            cells={cellsOf}
            main={0}
          />
        </Section>
      )}
    </LiveScreen>
  )
}

const textarea = (id: string) => (
  <textarea id={id} name="more" rows={4} placeholder={'{"category": "models"}'} />
)

const newEvent = (
  <div class="panel">
    <h2>Publish an event</h2>
    <ActionForm
      name="composeEvent"
      label="Publish"
      fields={{
        eventType: { value: 'release_note' },
        providerSlug: {},
        confirmationState: { label: 'Confirmation' },
        title: { placeholder: 'made up' },
      }}
      prepare={(input, { more }) => ({ ...input, ...readJson(more) })}
      onDone={({ title }) => `Published: ${title}`}
    >
      {() => (
        <details class="wide">
          <summary>Other members</summary>
          <Field label="As JSON" control={textarea} />
        </details>
      )}
    </ActionForm>
  </div>
)

function readJson(written: string | undefined): object {
  if (!written?.trim()) return {}
  try {
    return JSON.parse(written)
  } catch {
    throw new Error('The other members are no JSON. Correct them, or leave them out.')
  }
}

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

/** What has become of an event, for each a tag. */
export function Marks({ event }: { event: Partial<FeedEvent> }) {
  return (
    <>
      {event.confirmationState !== 'confirmed' && <span class="tag warn">early signal</span>}{' '}
      {event.correctedAt && <span class="tag">corrected</span>}{' '}
      {event.retractedAt && <span class="tag bad">retracted</span>}
    </>
  )
}
