import type { EntryDetails } from '@feed-receiver/inbox'
import type { ComponentChildren } from 'preact'
import { changes } from './changes.ts'
import { Foreign, ForeignLink } from './foreign.tsx'
import { linkTo } from './route.ts'
import { readableTime } from './when.tsx'

/** What an entry says of itself; what can be filtered by is a link. */
export function EntryFacts({ entry }: { entry: EntryDetails }) {
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
