import type { EntryDetails, OperationRow, PauseRow } from '@feed-receiver/inbox'
import { Untrusted, formatPlural } from '@feed-receiver/page-kit'
import type { ComponentChildren } from 'preact'
import type { ViewAnswer } from '../../src/views.ts'
import { changes, formatTime, isTest, When } from './words.tsx'

export function Moments({ moments }: { moments: readonly Moment[] }) {
  const inOrder = moments.toSorted((a, b) => a.at.localeCompare(b.at))
  return (
    <ol class="timeline">
      {inOrder.map(({ at, tone, title, more }, index) => (
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

export interface Moment {
  at: string
  title: ComponentChildren
  tone: '' | 'good' | 'warn' | 'bad' | 'next'
  more: ComponentChildren
}

/** A moment as a list; empty if its time is unknown. */
export function moment(
  at: string | null,
  title: ComponentChildren,
  tone: Moment['tone'] = '',
  more?: ComponentChildren,
): Moment[] {
  return at === null ? [] : [{ at, title, tone, more }]
}

/** The history of an entry, with the next attempt. */
export function momentsOf({ entry, operations, pauses }: ViewAnswer<'entry'>): Moment[] {
  const { firstPushAt, lastPushAt, pushCount, signedBy, handledAt, state } = entry
  const signed = signedBy !== null && (
    <p class="muted">
      Signed with the secret <code>{signedBy}</code>
    </p>
  )
  const repeats = formatPlural(pushCount - 1, 'duplicate', 'duplicates')
  return [
    moment(entry.createdAt, 'First seen by the service'),
    moment(firstPushAt, 'Delivered', '', signed),
    pushCount > 1 ? moment(lastPushAt, `Delivered again: ${repeats} ignored`) : [],
    sightings(entry),
    moment(entry.receivedAt, 'Stored, with a job for its handler'),
    operations.flatMap(toMoment),
    entry.effects.flatMap(({ key, at }) =>
      moment(at, ['Effect: ', <Untrusted text={key} />], 'good'),
    ),
    attempts(entry, pauses[0]),
    state === 'done' ? moment(handledAt, 'Handled', 'good') : [],
    state === 'skipped' ? moment(handledAt, skipped(entry)) : [],
  ].flat()
}

function skipped(entry: EntryDetails): string {
  return isTest(entry)
    ? 'Arrived: test deliveries reach no handler'
    : 'Skipped: no handler for this type'
}

function sightings({ pulledAt, receivedAt, revisions, change }: EntryDetails): Moment[] {
  if (pulledAt === null) return []
  const title = pulledAt <= receivedAt ? 'Pulled' : 'Also pulled'
  const revised = revisions.flatMap(({ revision, replacedAt }, index) => {
    const became = revisions[index + 1]?.change ?? change
    const tone = became === 'retraction' ? 'warn' : ''
    return moment(replacedAt, `Revision ${revision + 1}: ${changes[became]}`, tone)
  })
  return [...moment(pulledAt, title), ...revised]
}

function toMoment({ at, by, kind, detail }: OperationRow): Moment[] {
  const who = by === null ? 'somebody' : <Untrusted text={by} />
  const what = kind === 'reprocess' ? 'Reprocessed by ' : 'Retried by '
  const title = [kind === 'release' ? 'Released from quarantine by ' : what, who]
  const more = detail !== null && (
    <p class="muted">
      <Untrusted text={detail} />
    </p>
  )
  return moment(at, title, '', more)
}

type Job = NonNullable<EntryDetails['job']>

/** The queue stores the times and the error of the last attempt only. */
function attempts({ job, state, handledAt }: EntryDetails, pause?: PauseRow): Moment[] {
  if (state === 'dead') return givenUp(job, handledAt)
  if (!job) return []
  if (state === 'received') return [...lastAttempt(job), ...nextAttempt(job, pause)]
  // If the only attempt has ended, the end of the entry says it all.
  return job.attempts > 1 ? lastAttempt(job) : []
}

function lastAttempt(job: Job): Moment[] {
  const attempt = `Attempt ${job.attempts} of ${job.maxAttempts}`
  if (job.state === 'retrying') {
    return moment(job.startedAt, `${attempt} failed`, 'warn', <AttemptError job={job} />)
  }
  if (job.state === 'running') return moment(job.startedAt, `${attempt} is running`, 'next')
  return moment(job.startedAt, `${attempt} started`)
}

function nextAttempt({ attempts: count, nextAttemptAt }: Job, pause?: PauseRow): Moment[] {
  if (pause && nextAttemptAt !== null) {
    const what = pause.type === null ? 'the inbox' : 'its type'
    const why = (
      <p class="muted">
        Reason: <Untrusted text={pause.reason} />
      </p>
    )
    return moment(nextAttemptAt, `Waits because ${what} is paused`, 'next', why)
  }
  const title = count === 0 ? 'Waits for its handler' : `Attempt ${count + 1} is due`
  return moment(nextAttemptAt, title, 'next')
}

function givenUp(job: Job | null, handledAt: string | null): Moment[] {
  if (!job) return moment(handledAt, 'Dead', 'bad')
  const title = `Dead after ${formatPlural(job.attempts, 'attempt', 'attempts')}`
  const at = handledAt ?? job.endedAt ?? job.startedAt
  return moment(at, title, 'bad', <AttemptError job={job} />)
}

function AttemptError({ job: { lastError } }: { job: Job }) {
  if (lastError === null) return null
  return (
    <div class="error">
      <p>
        <Untrusted text={lastError.message} />
      </p>
      {lastError.stack !== null && (
        <details>
          <summary>Stack trace</summary>
          <pre class="raw" tabIndex={0}>
            {lastError.stack}
          </pre>
        </details>
      )}
    </div>
  )
}
