import type { EntryDetails } from '@feed-receiver/inbox'
import { Facts, Foreign, ForeignLink, linkTo, spell } from '@feed-receiver/page-kit'
import { changes, readableTime } from './words.tsx'

/** The facts of an entry. Those that can be filtered by are links. */
export function EntryFacts({ entry }: { entry: EntryDetails }) {
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
        ['Confirmation', <Foreign text={entry.confirmation} />],
        data !== undefined && ['Evidence', <Foreign text={data.evidence} />],
        data !== undefined && ['Source', <ForeignLink url={data.source_url} />],
        typeof publishedAt === 'string' && ['Published', <Time text={publishedAt} />],
        ['Event id', <Id text={entry.eventId} />],
        notes.length > 0 && ['Notes', <Foreign text={notes.map(spell).join(', ')} />],
      ]}
    />
  )
}

function waysOf({ pushCount, pulledAt }: EntryDetails): string {
  if (pushCount === 0) return 'by pull only'
  return pulledAt === null ? 'by push' : 'by push and pull'
}

function Time({ text }: { text: string }) {
  return <Foreign text={readableTime(text)} />
}

/** A foreign id. */
export function Id({ text }: { text: string }) {
  return (
    <code>
      <Foreign text={text} />
    </code>
  )
}

function Filtered({ name, value }: { name: string; value: string }) {
  return (
    <a href={linkTo('entries', { [name]: value })}>
      <Foreign text={value} />
    </a>
  )
}
