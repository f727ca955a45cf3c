import type { GapCounts } from '@feed-receiver/inbox'
import { Untrusted, linkTo } from '@feed-receiver/page-kit'
import type { ViewAnswer } from '../../src/views.ts'
import { otherWarnings } from './other-warnings.ts'
import { Command, formatCount, When } from './words.tsx'

type ShownProps = Pick<ViewAnswer<'overview'>, 'health' | 'alerts'>

/** The problems of the health, each with its fix, and since when somebody is notified of it. */
export function Problems({ health: { problems }, alerts }: ShownProps) {
  if (problems.length === 0) return null
  return (
    <div class="banner bad alerts" role="alert">
      {problems.map(({ code, message }) => (
        <p key={`${code} ${message}`}>
          <WithCommands text={message} />
          <Since alert={alerts.find(({ problem }) => problem === code)} />
        </p>
      ))}
    </div>
  )
}

/**
 * The warnings that have no banner of their own, each with its fix, and alerts whose problem is over
 * but that have not closed yet. If there is nothing wrong at all, says so.
 */
export function Warnings({ health, alerts }: ShownProps) {
  const { problems, warnings } = health
  const shown = otherWarnings(health)
  const ending = alerts.filter(({ problem }) => problem === null)
  if (shown.length + ending.length === 0) {
    const isCalm =
      problems.length + warnings.length === 0 && !health.dead?.count && !health.pauses?.length
    return isCalm ? <p class="banner good">No problems.</p> : null
  }
  return (
    <ul class="banner warn alerts" aria-label="Warnings">
      {shown.map(({ code, message }) => (
        <li key={`${code} ${message}`}>
          <p>
            <WithCommands text={message} />
            <Since alert={alerts.find(({ problem }) => problem === code)} />{' '}
            {screens[code] !== undefined && <a href={screens[code]}>Show</a>}
          </p>
        </li>
      ))}
      {ending.map((alert) => (
        <li key={alert.id}>
          <p>
            <WithCommands text={`${alert.message} ${alert.fix}`} />
            <Since alert={alert} />
          </p>
        </li>
      ))}
    </ul>
  )
}

/** The screens that show what a warning is about. */
const screens: Partial<Record<string, string>> = {
  quarantine: linkTo('quarantine'),
  oldest_pending: linkTo('entries', { state: 'received' }),
  missed: linkTo('feed'),
  probable_pause: linkTo('feed'),
  unknown_secret: linkTo('feed'),
  stream_gap: linkTo('feed'),
  pull_silent: linkTo('feed'),
  old_secret: linkTo('secrets'),
}

type ShownAlert = ShownProps['alerts'][number]

function Since({ alert }: { alert: ShownAlert | undefined }) {
  if (!alert) return null
  return (
    <>
      {' '}
      Alert open since <When at={alert.openedAt} />.
    </>
  )
}

/**
 * Shows that the destination is probably paused, and what to do. `hasLink` adds a link to the
 * missed events.
 */
export function Pause({ gaps, hasLink }: { gaps: GapCounts | null; hasLink?: boolean }) {
  const pause = gaps?.probablePause
  if (!pause) return null
  const { missed, lastPushAt } = pause
  return (
    <div class="banner bad pause" role="alert">
      <p>
        <strong>Push is probably paused.</strong>{' '}
        {lastPushAt === null
          ? 'No push has arrived'
          : ['The last push arrived ', <When at={lastPushAt} />]}
        , and {formatCount(missed)} {missed.count === 1 ? 'event' : 'events'} that your delivery
        rules select arrived by pull only.
      </p>
      <p>
        Find the cause:{' '}
        <Command>{'npx feed-receiver doctor --url https://<your app>/webhooks/feed'}</Command>
      </p>
      <p>
        Then send a test delivery from the service’s dashboard: nothing else activates a paused
        destination. Until then, pull continues.{' '}
        {hasLink && <a href={linkTo('feed')}>See missed events</a>}
      </p>
    </div>
  )
}

/** A message, with commands between backticks. */
function WithCommands({ text }: { text: string }) {
  return (
    <>
      {text
        .split('`')
        .map((part, at) => (at % 2 === 1 ? <code>{part}</code> : <Untrusted text={part} />))}
    </>
  )
}
