import {
  Action,
  formatDuration,
  LinkIfThere,
  linkTo,
  LiveScreen,
  type ScreenProps,
} from '@feed-receiver/page-kit'
import { ask } from '../../../console/page/src/api.ts'
import { moment, Moments, momentsOf, type Moment } from '../../../console/page/src/timeline.tsx'
import { call, find } from '../../../sandbox/page/src/api.ts'
import { sendAgain } from '../../../sandbox/page/src/send-again.ts'
import { sandboxNow } from '../../../sandbox/page/src/times.tsx'
import type { ActionAnswer } from '../../../sandbox/src/control/actions.ts'

type Sent = ActionAnswer<'findDelivery'>
type Attempt = Sent['attemptList'][number]

/** One event: its publication, every attempt and response, and the run of its handler. */
export function Story({ parameters: { id = '' } }: ScreenProps) {
  return (
    <LiveScreen
      crumb={<a href={linkTo('timeline')}>Timeline</a>}
      title={(story) => story?.title ?? 'Event'}
      question={id}
      load={() => readStory(id)}
      everyMs={1_000}
    >
      {({ event, sent, inbox }) => (
        <div class="shown" data-delivery={sent.at(-1)?.id}>
          <div class="tools">
            <SendAgain newest={sent.at(-1)} />
            {inbox && <LinkIfThere to="entry" id={id} label="Open in the inbox" />}
            {event && <LinkIfThere to="event" id={id} label="Open in the feed" />}
          </div>
          {sent.length === 0 && !inbox && (
            <p class="empty">
              {event
                ? 'Not delivered, because no app was connected.'
                : 'This event does not exist.'}
            </p>
          )}
          <Moments
            moments={[...sent.flatMap(momentsOfDelivery), ...(inbox ? momentsOf(inbox) : [])]}
          />
        </div>
      )}
    </LiveScreen>
  )
}

function SendAgain({ newest }: { newest: Sent | undefined }) {
  if (!newest || newest.kind === 'test') return null
  return <Action label="Send again" run={async () => (await sendAgain(newest.id)).notice} />
}

async function readStory(id: string) {
  const [[event], listed, inbox] = await Promise.all([
    find('findEvent', { id }),
    call('listDeliveries', { eventId: id }),
    // There may be no entry yet, or no inbox.
    ask('entry', { id }).catch(() => null),
  ])
  const found = await Promise.all(listed.map((one) => find('findDelivery', { id: one.id })))
  const sent = found.flat().toSorted((a, b) => a.id - b.id)
  const title = event?.title ?? inbox?.entry.title ?? sent[0]?.eventTitle ?? id
  return { event, sent, inbox, title }
}

function momentsOfDelivery(delivery: Sent): Moment[] {
  const { kind, createdAt, attemptList, nextAttemptAt, state, reason } = delivery
  const starts = { live: 'Published', test: 'Test requested', replay: 'Sent again' }
  return [
    ...moment(realTime(createdAt), starts[kind]),
    ...attemptList.flatMap(momentsOfAttempt),
    ...(state === 'skipped' || state === 'cancelled'
      ? moment(realTime(createdAt), `Not sent: ${reason?.replaceAll('_', ' ') ?? state}`, 'warn')
      : []),
    ...moment(nextAttemptAt && realTime(nextAttemptAt), 'The next attempt is due', 'next'),
  ]
}

function momentsOfAttempt(one: Attempt): Moment[] {
  const { attempt, startedAt, outcome, status, errorCode, durationMs, nextDelayMs } = one
  const answer = outcome === null ? 'is running' : `answered ${status ?? errorCode ?? 'nothing'}`
  const took = durationMs === null ? '' : ` in ${formatDuration(durationMs)}`
  const tones = { accepted: 'good', pause: 'bad', retry: 'warn', interrupted: 'warn' } as const
  const tone = outcome === null ? 'next' : tones[outcome]
  const more = (
    <>
      {outcome === 'pause' && (
        <p class="error">This answer paused the feed until a test is accepted.</p>
      )}
      {one.fault !== null && <p class="muted">Injected fault: {one.fault.replaceAll('_', ' ')}</p>}
      {nextDelayMs !== null && (
        <p class="muted">The next attempt is {formatDuration(nextDelayMs)} later.</p>
      )}
      {one.responseBody !== null && outcome !== 'accepted' && (
        <pre class="raw" tabIndex={0}>
          {one.responseBody}
        </pre>
      )}
    </>
  )
  return moment(realTime(startedAt), `Attempt ${attempt} ${answer}${took}`, tone, more)
}

/** Converts a time of the sandbox's clock, which may have been moved, to real time. */
function realTime(at: string): string {
  const offset = sandboxNow() - Date.now()
  return new Date(Date.parse(at) - (Math.abs(offset) < 1_000 ? 0 : offset)).toISOString()
}
