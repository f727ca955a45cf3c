import { Action, AskFirst, Facts, ForeignLink, given, LinkIfThere } from '@feed-receiver/page-kit'
import { LiveScreen, Section, type ScreenProps, type Values } from '@feed-receiver/page-kit'
import type { ActionAnswer, ActionInput } from '../../src/control/actions.ts'
import { ActionForm } from './action-form.tsx'
import { call, find } from './api.ts'
import { DeliveryTable } from './deliveries.tsx'
import { Gone } from './delivery.tsx'
import { Marks } from './feed.tsx'
import { When } from './times.tsx'

export function Event({ parameters: { id = '' } }: ScreenProps) {
  return (
    <LiveScreen
      title={(found) => found?.[0][0]?.title ?? 'Event'}
      question={id}
      load={() => Promise.all([find('findEvent', { id }), call('listDeliveries', { eventId: id })])}
    >
      {([[event], deliveries]) => (
        <>
          {event ? <Details event={event} /> : <Gone what="event" />}
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

function Details({ event }: { event: ActionAnswer<'findEvent'> }) {
  const { id, title, summary, confirmationState, retractedAt } = event
  return (
    <>
      <p class="lead">
        {summary ?? 'No summary.'} <Marks event={event} />
      </p>
      <div class="tools">
        {!retractedAt && confirmationState !== 'confirmed' && (
          <Action label="Confirm" run={() => change({ to: 'confirm', id })} />
        )}
        {!retractedAt && (
          <AskFirst
            label="Retract"
            question="Retract this event?"
            onYes={() => change({ to: 'retract', id })}
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
          ['Source', <ForeignLink url={event.sourceUrl} />],
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

async function change(to: ActionInput<'changeEvent'>): Promise<string> {
  await call('changeEvent', to)
  return done
}

const done = 'Changed in the feed.'
