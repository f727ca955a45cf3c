import type { EntryDetails, OperationRow } from '@feed-receiver/inbox'
import type { ComponentChildren } from 'preact'
import type { EntryAnswer } from '../../src/views.ts'
import { ask, retry } from './api.ts'
import { asCurl } from './as-curl.ts'
import { asFixture } from './as-fixture.ts'
import { AskFirst } from './ask-first.tsx'
import { toSortedJson } from './bytes.ts'
import { changes } from './changes.ts'
import { Copy } from './copy.tsx'
import { Foreign, ForeignLink } from './foreign.tsx'
import { notify } from './notices.tsx'
import { Problem } from './problem.tsx'
import { RawDelivery } from './raw-delivery.tsx'
import { Revisions } from './revisions.tsx'
import { linkTo } from './route.ts'
import type { ScreenProps } from './screens.tsx'
import { StateMark } from './state.tsx'
import { Timeline } from './timeline.tsx'
import { useLive } from './use-live.ts'
import { formatTime } from './when.tsx'

/** One entry: what it says, what became of it, and what was signed. */
export function Entry({ parameters, isReadOnly }: ScreenProps) {
  const id = parameters['id'] ?? ''
  const live = useLive(id, () => ask<EntryAnswer>('entry', { id }))
  return (
    <>
      <p class="crumb">
        <a href={linkTo('entries')}>Entries</a>
      </p>
      {live.error && !live.answer && <h1 tabIndex={-1}>Entry</h1>}
      <Problem error={live.error} />
      {live.answer && <Details {...live.answer} isReadOnly={isReadOnly} onChanged={live.refresh} />}
    </>
  )
}

interface DetailsProps {
  entry: EntryDetails
  operations: OperationRow[]
  isReadOnly: boolean
  onChanged: () => void
}

function Details({ entry, operations, isReadOnly, onChanged }: DetailsProps) {
  const { event, eventId, bodyBase64, headers } = entry
  const summary = event?.data.summary
  const retractedAt = event?.pull?.retractedAt
  return (
    <>
      <div class="head">
        <h1 tabIndex={-1}>
          <Foreign text={entry.title} />
        </h1>
        <StateMark state={shownState(entry)} />
      </div>
      <div class="tools">
        {!isReadOnly && isRetriable(entry) && <Retry eventId={eventId} onDone={onChanged} />}
        <Copy label="Copy id" text={() => eventId} />
        {bodyBase64 !== null && (
          <Copy label="Copy as curl" text={() => asCurl(bodyBase64, headers)} />
        )}
        {event && <Copy label="Copy as test fixture" text={() => asFixture(event)} />}
      </div>
      {typeof retractedAt === 'string' && (
        <p class="banner">
          <span>
            The service has retracted this event: it no longer stands by it (
            <Foreign text={readableTime(retractedAt)} />
            ).
          </span>
        </p>
      )}
      <div class="columns">
        <div>
          {typeof summary === 'string' && (
            <p class="summary">
              <Foreign text={summary} />
            </p>
          )}
          <Facts entry={entry} />
          <Revisions entry={entry} />
          {event && entry.sha256 === null ? (
            <Pulled event={event} />
          ) : (
            <RawDelivery bodyBase64={bodyBase64} sha256={entry.sha256} headers={headers} />
          )}
        </div>
        <section aria-labelledby="timeline-title">
          <h2 id="timeline-title">Timeline</h2>
          <Timeline entry={entry} operations={operations} />
        </section>
      </div>
    </>
  )
}

type FeedEvent = NonNullable<EntryDetails['event']>

function shownState({ state, job }: EntryDetails) {
  if (state !== 'received' || !job) return state
  return job.state === 'retrying' || job.state === 'running' ? job.state : state
}

function isRetriable({ state, bodyBase64, event }: EntryDetails): boolean {
  const isKept = bodyBase64 !== null || event !== null
  return (state === 'dead' || state === 'skipped') && isKept
}

function Retry({ eventId, onDone }: { eventId: string; onDone: () => void }) {
  const go = async () => {
    const retried = await retry({ ids: [eventId] }, () => {})
    notify(retried === 1 ? 'It waits for its handler again.' : 'Somebody else was first.')
    onDone()
  }
  return (
    <AskFirst label="Retry" question="Retry this entry?" isPrimary onYes={go}>
      It is handed to its handler again, as if it came now. It is kept that you asked for it.
    </AskFirst>
  )
}

/** Nobody signed it, so there are no bytes to show. */
function Pulled({ event }: { event: FeedEvent }) {
  return (
    <section aria-labelledby="pulled-title">
      <h2 id="pulled-title">What pull brought</h2>
      <pre class="raw" tabIndex={0} aria-label="Event">
        {toSortedJson(event)}
      </pre>
    </section>
  )
}

function Facts({ entry }: { entry: EntryDetails }) {
  const { event, subjectType, subjectKey, notes } = entry
  const data = event?.data
  return (
    <dl class="facts">
      <Fact label="Type">
        <Filtered name="type" value={entry.type} />
      </Fact>
      <Fact label="Provider">
        <Filtered name="provider" value={entry.provider} />
      </Fact>
      <Fact label="Category">
        <Filtered name="category" value={entry.category} />
      </Fact>
      {subjectKey !== null && (
        <Fact label={subjectType === null ? 'Subject' : `Subject (${subjectType})`}>
          <Filtered name="subject" value={subjectKey} />
        </Fact>
      )}
      <Fact label="Came">{waysOf(entry)}</Fact>
      {entry.revision > 1 && (
        <Fact label="Revision">
          {entry.revision}: {changes[entry.change]}
        </Fact>
      )}
      {typeof event?.pull?.correctedAt === 'string' && (
        <Fact label="Corrected">
          <Foreign text={readableTime(event.pull.correctedAt)} />
        </Fact>
      )}
      <Fact label="Confirmation">
        <Foreign text={entry.confirmation} />
      </Fact>
      {data && (
        <Fact label="Evidence">
          <Foreign text={data.evidence} />
        </Fact>
      )}
      {data && (
        <Fact label="Source">
          <ForeignLink url={data.source_url} />
        </Fact>
      )}
      {typeof data?.source_published_at === 'string' && (
        <Fact label="Published">
          <Foreign text={readableTime(data.source_published_at)} />
        </Fact>
      )}
      <Fact label="Event id">
        <code>
          <Foreign text={entry.eventId} />
        </code>
      </Fact>
      {notes.length > 0 && (
        <Fact label="Noted">
          <Foreign text={notes.map((note) => note.replaceAll('_', ' ')).join(', ')} />
        </Fact>
      )}
    </dl>
  )
}

function waysOf({ pushCount, pulledAt }: EntryDetails): string {
  if (pushCount === 0) return 'by pull alone'
  return pulledAt === null ? 'by push' : 'by push and by pull'
}

function Fact({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>
        <bdi>{label}</bdi>
      </dt>
      <dd>{children}</dd>
    </div>
  )
}

function Filtered({ name, value }: { name: string; value: string }) {
  return (
    <a href={linkTo('entries', { [name]: value })}>
      <Foreign text={value} />
    </a>
  )
}

// The service says when, and may say anything.
function readableTime(text: string): string {
  return Number.isNaN(Date.parse(text)) ? text : formatTime(text)
}
