import {
  Field,
  Head,
  linkTo,
  notify,
  RowLink,
  Section,
  Shown,
  Table,
  useLive,
} from '@feed-receiver/page-kit'
import type { ActionAnswer } from '../../src/control/actions.ts'
import { ActionForm } from './action-form.tsx'
import { call } from './api.ts'
import { When } from './times.tsx'

type FeedEvent = ActionAnswer<'listEvents'>[number]

/** What is in the feed, and what is to come next. */
export function Feed() {
  const live = useLive('events', () => call('listEvents', { limit: 60 }))
  return (
    <>
      <Head title="Feed" />
      <div class="panel">
        <h2>Publish an event</h2>
        <ActionForm
          name="composeEvent"
          label="Publish"
          fields={drafted}
          prepare={(input, { more }) => ({ ...input, ...readJson(more) })}
          onDone={({ title }) => notify(`Published: ${title}`)}
        >
          {() => (
            <details class="wide">
              <summary>Other members</summary>
              <Field label="As JSON" control={textarea} />
            </details>
          )}
        </ActionForm>
      </div>
      <Section title="The newest events">
        <Shown live={live}>
          {(events) => (
            <Table
              label="Events"
              head={['Event', 'Provider', 'Observed']}
              rows={events}
              none="Nothing was published yet."
              cells={cellsOf}
              main={0}
            />
          )}
        </Shown>
      </Section>
    </>
  )
}

const textarea = (id: string) => (
  <textarea id={id} name="more" rows={4} placeholder={'{"category": "models"}'} />
)

const drafted = {
  eventType: { value: 'release_note' },
  providerSlug: {},
  confirmationState: { label: 'Confirmation' },
  title: { placeholder: 'made up' },
}

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
    <RowLink href={linkTo('event', { id })} title={title}>
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
