import type { EntryDetails, OperationRow } from '@feed-receiver/inbox'
import type { ComponentChildren } from 'preact'
import { changes } from './changes.ts'
import { Foreign } from './foreign.tsx'
import { formatPlural } from './numbers.ts'
import { formatTime, When } from './when.tsx'

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
          <p class="moment-at">
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

/** Of several attempts the queue keeps the times and the error of the last. */
function attempts({ job, state, handledAt }: EntryDetails): Moment[] {
  if (!job) {
    const isDead = state === 'dead' && handledAt !== null
    return isDead ? [{ at: handledAt, tone: 'bad', title: 'Given up' }] : []
  }
  const { attempts: count, maxAttempts, startedAt, endedAt, nextAttemptAt, lastError } = job
  const attempt = `Attempt ${count} of ${maxAttempts}`
  const more = lastError && (
    <div class="error">
      <p>
        <Foreign text={lastError.message} />
      </p>
      {lastError.stack !== null && (
        <details>
          <summary>Where it happened</summary>
          <pre tabIndex={0}>{lastError.stack}</pre>
        </details>
      )}
    </div>
  )
  const moments: Moment[] = []
  // A first attempt that ended says nothing that its end does not.
  if (startedAt !== null && (state === 'received' || (state !== 'dead' && count > 1))) {
    const isRunning = job.state === 'running'
    const hasFailed = job.state === 'retrying'
    const tone = hasFailed ? 'warn' : isRunning ? 'next' : ''
    const title = hasFailed
      ? `${attempt} failed`
      : isRunning
        ? `${attempt} runs`
        : `${attempt} began`
    moments.push({ at: startedAt, tone, title, ...(hasFailed && { more }) })
  }
  if (nextAttemptAt !== null && state === 'received') {
    const title = count === 0 ? 'Waits for its handler' : `Attempt ${count + 1} is due`
    moments.push({ at: nextAttemptAt, tone: 'next', title })
  }
  if (state === 'dead') {
    const at = handledAt ?? endedAt ?? startedAt
    const title = `Given up after ${formatPlural(count, 'attempt', 'attempts')}`
    if (at !== null) moments.push({ at, tone: 'bad', title, more })
  }
  return moments
}
