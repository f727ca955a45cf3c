import type { EntryDetails, OperationRow } from '@feed-receiver/inbox'
import { Foreign, formatPlural } from '@feed-receiver/page-kit'
import type { ComponentChildren } from 'preact'
import { formatTime, When } from './when.tsx'
import { changes } from './words.tsx'

interface Moment {
  at: string
  tone: '' | 'good' | 'warn' | 'bad' | 'next'
  title: ComponentChildren
  more?: ComponentChildren
}

export interface TimelineProps {
  entry: EntryDetails
  operations: OperationRow[]
}

/** What happened to an entry and what will, from the first to the last. */
export function Timeline(props: TimelineProps) {
  const moments = momentsOf(props).toSorted((a, b) => a.at.localeCompare(b.at))
  return (
    <ol class="timeline">
      {moments.map(({ at, tone, title, more }, index) => (
        <li key={index} class={tone}>
          <p class="moment">{title}</p>
          {more}
          <p class="hint">
            <When at={at} />
            <span aria-hidden="true"> · {formatTime(at)}</span>
          </p>
        </li>
      ))}
    </ol>
  )
}

function momentsOf({ entry, operations }: TimelineProps): Moment[] {
  const { createdAt, receivedAt, handledAt, state } = entry
  const moments: Moment[] = [
    { at: createdAt, tone: '', title: 'First seen by the service' },
    ...deliveries(entry),
    ...sightings(entry),
    { at: receivedAt, tone: '', title: 'Stored, with a job for its handler' },
    ...operations.map(toMoment),
    ...attempts(entry),
  ]
  if (handledAt !== null && state === 'done') {
    moments.push({ at: handledAt, tone: 'good', title: 'Handled' })
  }
  if (handledAt !== null && state === 'skipped') {
    moments.push({ at: handledAt, tone: '', title: 'Skipped: no handler takes this type' })
  }
  return moments
}

function deliveries({ firstPushAt, lastPushAt, pushCount, signedBy }: EntryDetails): Moment[] {
  if (firstPushAt === null) return []
  const more = signedBy !== null && (
    <p class="muted">
      Signed with the secret <code>{signedBy}</code>
    </p>
  )
  const first: Moment = { at: firstPushAt, tone: '', title: 'Delivered', more }
  if (lastPushAt === null || pushCount < 2) return [first]
  const repeats = formatPlural(pushCount - 1, 'repeat', 'repeats')
  return [first, { at: lastPushAt, tone: '', title: `Delivered again: ${repeats} absorbed` }]
}

function sightings({ pulledAt, receivedAt, revisions, change }: EntryDetails): Moment[] {
  if (pulledAt === null) return []
  const title = pulledAt <= receivedAt ? 'Brought by pull' : 'Seen by pull as well'
  const revised = revisions.map(({ revision, replacedAt }, index): Moment => {
    const became = revisions[index + 1]?.change ?? change
    const tone = became === 'retraction' ? 'warn' : ''
    return { at: replacedAt, tone, title: `Revision ${revision + 1}: ${changes[became]}` }
  })
  return [{ at: pulledAt, tone: '', title }, ...revised]
}

function toMoment({ at, by, kind }: OperationRow): Moment {
  const who = by === null ? 'somebody' : <Foreign text={by} />
  const what = kind === 'release' ? 'Released from quarantine by' : 'Retried by'
  return {
    at,
    tone: '',
    title: (
      <>
        {what} {who}
      </>
    ),
  }
}

type Job = NonNullable<EntryDetails['job']>

/** Of several attempts the queue keeps the times and the error of the last. */
function attempts({ job, state, handledAt }: EntryDetails): Moment[] {
  if (state === 'dead') return givenUp(job, handledAt)
  if (!job) return []
  if (state === 'received') return [...lastAttempt(job), ...nextAttempt(job)]
  // A first attempt that ended says nothing that its end does not.
  return job.attempts > 1 ? lastAttempt(job) : []
}

function lastAttempt(job: Job): Moment[] {
  const { startedAt: at, attempts: count, maxAttempts } = job
  if (at === null) return []
  const attempt = `Attempt ${count} of ${maxAttempts}`
  if (job.state === 'retrying') {
    return [{ at, tone: 'warn', title: `${attempt} failed`, more: <LastError job={job} /> }]
  }
  if (job.state === 'running') return [{ at, tone: 'next', title: `${attempt} runs` }]
  return [{ at, tone: '', title: `${attempt} began` }]
}

function nextAttempt({ attempts: count, nextAttemptAt: at }: Job): Moment[] {
  if (at === null) return []
  const title = count === 0 ? 'Waits for its handler' : `Attempt ${count + 1} is due`
  return [{ at, tone: 'next', title }]
}

function givenUp(job: Job | null, handledAt: string | null): Moment[] {
  const at = handledAt ?? job?.endedAt ?? job?.startedAt ?? null
  if (at === null) return []
  if (!job) return [{ at, tone: 'bad', title: 'Given up' }]
  const title = `Given up after ${formatPlural(job.attempts, 'attempt', 'attempts')}`
  const more = <LastError job={job} />
  return [{ at, tone: 'bad', title, more }]
}

function LastError({ job: { lastError } }: { job: Job }) {
  if (lastError === null) return null
  return (
    <div class="error">
      <p>
        <Foreign text={lastError.message} />
      </p>
      {lastError.stack !== null && (
        <details>
          <summary>Where it happened</summary>
          <pre class="raw" tabIndex={0}>
            {lastError.stack}
          </pre>
        </details>
      )}
    </div>
  )
}
