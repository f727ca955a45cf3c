import type { EntryDetails, EntryRevision } from '@feed-receiver/inbox'
import {
  type Choice,
  Copy,
  Facts,
  Untrusted,
  UntrustedLink,
  LinkIfThere,
  linkTo,
  LiveScreen,
  Section,
  Select,
  spell,
} from '@feed-receiver/page-kit'
import type { ScreenProps } from '@feed-receiver/page-kit'
import { useContext, useState } from 'preact/hooks'
import type { ViewAnswer } from '../../src/views.ts'
import { Allowed, ask, urlOf } from './api.ts'
import { Compare, toSortedJson } from './compare.tsx'
import { asCurl, asFixture } from './copies.ts'
import { RawDelivery } from './raw-delivery.tsx'
import { Bulk, Retry } from './actions.tsx'
import { Moments, momentsOf } from './timeline.tsx'
import { changes, Id, isTest, readableTime, StateMark, stateOf } from './words.tsx'

/** One entry: its content, its history, and the signed bytes. */
export function Entry({ parameters: { id = '' } }: ScreenProps) {
  return (
    <LiveScreen
      crumb={<a href="#/entries">Entries</a>}
      title={(answer) => (answer ? <Untrusted text={answer.entry.title} /> : 'Entry')}
      beside={(answer) => answer && <StateMark state={stateOf(answer.entry)} />}
      question={id}
      load={() => ask('entry', { id })}
    >
      {(answer) => <EntryContent {...answer} />}
    </LiveScreen>
  )
}

function EntryContent({ entry, operations, pauses }: ViewAnswer<'entry'>) {
  const { canReproduce } = useContext(Allowed)
  const { event, eventId, bodyBase64, headers } = entry
  const summary = event?.data.summary
  const retractedAt = event?.pull?.retractedAt
  return (
    <>
      <div class="tools">
        {isRetriable(entry) && <Retry eventId={eventId} look="primary" />}
        {isReprocessable(entry) && (
          <Bulk verb="Reprocess" label="Reprocess …" target={{ ids: [eventId] }} />
        )}
        {canReproduce && isStored(entry) && (
          <a class="button" href={urlOf('testfile', { id: eventId }).href} download>
            Test file
          </a>
        )}
        <Copy label="Copy id" text={() => eventId} />
        {bodyBase64 !== null && (
          <Copy label="Copy as curl" text={() => asCurl(bodyBase64, headers)} />
        )}
        {event && <Copy label="Copy as test fixture" text={() => asFixture(event)} />}
        <LinkIfThere to="story" id={eventId} label="Show on the timeline" />
        <LinkIfThere to="event" id={eventId} label="Open in the feed" />
      </div>
      {isTest(entry) && (
        <p class="banner calm">
          This is a test delivery of the service. It shows that deliveries arrive. It reaches no
          handler, so you cannot retry or reprocess it.
        </p>
      )}
      {typeof retractedAt === 'string' && (
        <p class="banner warn">
          <span>
            The service has retracted this event, so it is no longer valid (
            <Untrusted text={readableTime(retractedAt)} />
            ).
          </span>
        </p>
      )}
      <FailureBanner entry={entry} />
      <div class="columns">
        <Section title="Timeline">
          <Moments moments={momentsOf({ entry, operations, pauses })} />
        </Section>
        <div>
          {typeof summary === 'string' && (
            <p class="summary">
              <Untrusted text={summary} />
            </p>
          )}
          <EntryFacts entry={entry} />
          <Revisions entry={entry} />
          {event && entry.sha256 === null ? (
            // It is unsigned, so there are no bytes to show.
            <Section title="Event from pull">
              <pre class="raw" tabIndex={0} aria-label="Event">
                {toSortedJson(event)}
              </pre>
            </Section>
          ) : (
            <RawDelivery bodyBase64={bodyBase64} sha256={entry.sha256} headers={headers} />
          )}
        </div>
      </div>
    </>
  )
}

/** Why the last attempt failed, with its stack trace. */
function FailureBanner({ entry: { state, isFailing, job } }: { entry: EntryDetails }) {
  if (!job?.lastError || (state !== 'dead' && !isFailing)) return null
  const { message, stack } = job.lastError
  return (
    <section class="banner bad last-error" aria-label="Last error">
      <p>
        <Untrusted text={message} />
      </p>
      {stack !== null && (
        <pre tabIndex={0} aria-label="Stack trace">
          {stack}
        </pre>
      )}
    </section>
  )
}

function isRetriable(entry: EntryDetails): boolean {
  const isUnhandled = entry.state === 'dead' || entry.state === 'skipped'
  return (isUnhandled || entry.isFailing) && isStored(entry) && !isTest(entry)
}

function isReprocessable(entry: EntryDetails): boolean {
  return (entry.state === 'done' || entry.state === 'skipped') && isStored(entry) && !isTest(entry)
}

function isStored({ bodyBase64, event }: Pick<EntryDetails, 'bodyBase64' | 'event'>): boolean {
  return bodyBase64 !== null || event !== null
}

/** The facts of an entry. Those that can be filtered by are links. */
function EntryFacts({ entry }: { entry: EntryDetails }) {
  const { event, subjectType, subjectKey, notes } = entry
  const data = event?.data
  const correctedAt = event?.pull?.correctedAt
  const publishedAt = data?.source_published_at
  const subject = subjectType === null ? 'Subject' : `Subject (${subjectType})`
  return (
    <Facts
      facts={[
        ['Type', <Filtered name="type" value={entry.type} />],
        ['Provider', <Filtered name="provider" value={entry.provider} />],
        ['Category', <Filtered name="category" value={entry.category} />],
        subjectKey !== null && [subject, <Filtered name="subject" value={subjectKey} />],
        ['Received', waysOf(entry)],
        entry.revision > 1 && ['Revision', `${entry.revision}: ${changes[entry.change]}`],
        typeof correctedAt === 'string' && ['Corrected', <Time text={correctedAt} />],
        ['Confirmation', <Untrusted text={entry.confirmation} />],
        data !== undefined && ['Evidence', <Untrusted text={data.evidence} />],
        data !== undefined && ['Source', <UntrustedLink url={data.source_url} />],
        typeof publishedAt === 'string' && ['Published', <Time text={publishedAt} />],
        ['Event id', <Id text={entry.eventId} />],
        notes.length > 0 && ['Notes', <Untrusted text={notes.map(spell).join(', ')} />],
      ]}
    />
  )
}

function waysOf({ pushCount, pulledAt }: EntryDetails): string {
  if (pushCount === 0) return 'by pull only'
  return pulledAt === null ? 'by push' : 'by push and pull'
}

function Time({ text }: { text: string }) {
  return <Untrusted text={readableTime(text)} />
}

function Filtered({ name, value }: { name: string; value: string }) {
  return (
    <a href={linkTo('entries', { [name]: value })}>
      <Untrusted text={value} />
    </a>
  )
}

type Version = Omit<EntryRevision, 'replacedAt'>

/** An event before and after each change, side by side. */
function Revisions({ entry }: { entry: EntryDetails }) {
  const { revision, revisions, via, change, event } = entry
  const versions: Version[] = [...revisions, { revision, via, change, event }]
  const [chosen, setChosen] = useState<number | null>(null)
  if (revision === 1) return null
  const behind = versions.findIndex((one) => one.revision === (chosen ?? revision))
  const [before, after] = [versions[behind - 1], versions[behind]]
  const choices = versions
    .slice(1)
    .map((one): Choice => [
      String(one.revision),
      `${one.revision - 1} to ${one.revision}: ${changes[one.change]}`,
    ])
  const select = (
    <Select
      aria-label="Change shown"
      choices={choices}
      chosen={String(chosen ?? revision)}
      onChoose={(value) => setChosen(Number(value))}
    />
  )
  return (
    <Section title="Revisions" beside={choices.length > 1 && select}>
      {before && after ? (
        <RevisionPair before={before} after={after} />
      ) : (
        <p class="empty">
          This is revision {revision}: {changes[change]}. Its earlier content is not stored.
        </p>
      )}
    </Section>
  )
}

function RevisionPair({ before, after }: { before: Version; after: Version }) {
  if (before.event === null || after.event === null) {
    const { revision } = before.event === null ? before : after
    return <p class="empty">Retention has deleted the content of revision {revision}.</p>
  }
  return (
    <Compare
      titles={[
        `Revision ${before.revision}, by ${before.via}`,
        `Revision ${after.revision}, by ${after.via}: ${changes[after.change]}`,
      ]}
      texts={[toSortedJson(before.event), toSortedJson(after.event)]}
      whenSame="Both have the same content."
      isShort
    />
  )
}
