import {
  Action,
  formatDuration,
  Head,
  linkTo,
  RowLink,
  spell,
  State,
  publish,
  useKeys,
  useLive,
  useTick,
} from '@feed-receiver/page-kit'
import { useState } from 'preact/hooks'
import { formatTime, StateMark, stateOf, When } from '../../../console/page/src/words.tsx'
import { call } from '../../../sandbox/page/src/api.ts'
import { opened } from '../../../sandbox/page/src/keyboard.tsx'
import { WhyPaused } from '../../../sandbox/page/src/pause.tsx'
import { LongList } from './long-list.tsx'
import { useTimeline, type TimelineRow } from './use-timeline.ts'

/** Every event: its deliveries, the app's responses, and the result of its handler. */
export function Timeline() {
  const { rows, isLoaded, inboxProblem, problem, loadOlder } = useTimeline()
  const [isWhole, setIsWhole] = useState(false)
  useKeys({ ArrowRight: () => openEntry(focusedRow(rows)) })
  const older = async () => setIsWhole(!(await loadOlder()))

  return (
    <>
      <Head title="Timeline">
        <div class="tools">
          <button class="primary" onClick={() => publish(opened, 'compose')}>
            Trigger an event <kbd>t</kbd>
          </button>
          <button onClick={() => publish(opened, 'fault')}>
            Fail the next delivery <kbd>f</kbd>
          </button>
        </div>
      </Head>
      {problem !== '' && (
        <p class="banner warn" role="alert">
          {problem}
        </p>
      )}
      <Connection />
      {inboxProblem !== undefined && <p class="banner">{inboxProblem}</p>}
      {isLoaded && rows.length === 0 && (
        <p class="empty">
          No events yet. Press <kbd>t</kbd> to trigger one. It appears here live.
        </p>
      )}
      <LongList label="Events" rows={rows} keyOf={({ eventId }) => eventId}>
        {(row) => <Row row={row} />}
      </LongList>
      {rows.length > 0 && !isWhole && (
        <p class="more">
          <Action label="Show older" run={older} />
        </p>
      )}
    </>
  )
}

/** Shows whether an app receives the feed, and what to do if none does. */
function Connection() {
  const { answer: destinations } = useLive('connection', () => call('listDestinations', {}), 1_000)
  if (!destinations) return null
  const paused = destinations.find(({ state }) => state === 'paused')
  if (paused) {
    return (
      <div class="banner bad" role="alert">
        <p>
          <strong>{paused.address} paused the feed.</strong> It resumes once the app accepts a test.
        </p>
        <WhyPaused {...paused} />
      </div>
    )
  }
  if (destinations.some(({ state }) => state === 'active')) return null
  return (
    <p class="banner warn">
      No app is connected yet. Start yours. The terminal shows where dev looks for it.
    </p>
  )
}

function Row({ row: { eventId, deliveries, entry, nextAttemptAt } }: { row: TimelineRow }) {
  const [delivery] = deliveries
  const type = delivery?.eventType ?? entry?.type ?? 'event'
  const title = delivery?.eventTitle ?? entry?.title ?? eventId
  const at = entry?.receivedAt ?? delivery?.createdAt
  return (
    <div class="event-row" data-event={eventId} data-delivery={delivery?.id}>
      <span class="event-title">
        <RowLink to="story" id={eventId} title={title}>
          {type}
        </RowLink>
      </span>
      <span class="event-feed">{delivery && <Sent deliveries={deliveries} />}</span>
      <span class="event-inbox">
        {entry && <StateMark state={stateOf(entry)} />}
        {nextAttemptAt !== undefined && (
          <span class="muted under">
            <Again at={nextAttemptAt} />
          </span>
        )}
      </span>
      <span class="event-when">{at !== undefined && <When at={at} />}</span>
    </div>
  )
}

/** The time of the next attempt, in the short unit that the narrow column has room for. */
function Again({ at }: { at: string }) {
  useTick(1_000)
  const ms = Date.parse(at) - Date.now()
  return (
    <time dateTime={at} title={formatTime(at)}>
      {ms < 1_000 ? 'again now' : `again in ${formatDuration(ms, 1)}`}
    </time>
  )
}

/** The newest delivery in a few words: its last response, and the number of that attempt. */
function Sent({ deliveries }: Pick<TimelineRow, 'deliveries'>) {
  const [newest] = deliveries
  if (!newest) return null
  const { state, lastStatus, lastErrorCode, attempts } = newest
  const count = deliveries.reduce((sum, one) => sum + one.attempts, 0)
  const answer = lastStatus ?? lastErrorCode ?? ''
  const label = [spell(state), answer, attempts > 1 || count > 1 ? `${count} attempts` : '']
  return <State name={state} label={label.filter((part) => part !== '').join(' · ')} />
}

/** The focused row, or else the newest. */
function focusedRow(rows: readonly TimelineRow[]): TimelineRow | undefined {
  const row = document.activeElement?.closest<HTMLElement>('[data-event]')
  return rows.find(({ eventId }) => eventId === row?.dataset['event']) ?? rows[0]
}

function openEntry(row: TimelineRow | undefined): void {
  if (row?.entry) location.hash = linkTo('entry', { id: row.eventId })
  else if (row) location.hash = linkTo('story', { id: row.eventId })
}
