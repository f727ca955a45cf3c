import type { GapCounts, HealthProblem, InboxHealth } from '@feed-receiver/inbox'
import { Foreign, linkTo, spell } from '@feed-receiver/page-kit'
import type { ViewAnswer } from '../../src/views.ts'
import { isSilent } from './poll-stream.tsx'
import { Command, formatAge, formatCount, When } from './words.tsx'

interface VerdictProps {
  health: InboxHealth
  /** Whether the page already shows a problem. */
  isSaid: boolean
}

/** The most urgent concerns, in a sentence each. */
export function Verdict({ health, isSaid }: VerdictProps) {
  const { ok, problems, gaps, pauses } = health
  if (!ok) {
    return (
      <p class="banner bad" role="alert">
        {problems.map(({ message }) => message).join(' ')}
      </p>
    )
  }
  const concerns = concernsOf(health)
  const isPaused = pauses !== null && pauses.length > 0
  if (concerns.length === 0 && (isSaid || isPaused || gaps?.probablePause)) return null
  if (concerns.length === 0) return <p class="banner good">No problems.</p>
  return (
    <p class="banner warn look">
      <span>Worth a look:</span>
      {concerns.map(({ link, says }) => (
        <a key={says} href={link}>
          {says}
        </a>
      ))}
    </p>
  )
}

/** After this time an entry should have been handled. */
const lateSeconds = 15 * 60

function concernsOf({ dead, quarantined, backlog, gaps, streams }: InboxHealth) {
  const concerns: { link: string; says: string }[] = []
  const add = (link: string, says: string) => concerns.push({ link, says })
  const oldest = backlog?.oldestAgeSeconds ?? 0
  if (dead && dead.count > 0) {
    const are = dead.count === 1 ? 'entry is' : 'entries are'
    add(linkTo('entries', { state: 'dead' }), `${formatCount(dead)} ${are} dead`)
  }
  if (quarantined && quarantined.count > 0) {
    add(linkTo('quarantine'), `${formatCount(quarantined)} in quarantine`)
  }
  if (oldest > lateSeconds) {
    const waited = `the oldest entry has waited for ${formatAge(oldest)}`
    add(linkTo('entries', { state: 'received' }), waited)
  }
  if (gaps && gaps.missed.count > 0 && !gaps.probablePause) {
    add(linkTo('feed'), `${formatCount(gaps.missed)} missed by push`)
  }
  if (streams?.some((stream) => stream.phase === 'suspended' || isSilent(stream))) {
    add(linkTo('feed'), 'no poller reads the feed')
  }
  return concerns
}

/** The warnings of the health, each with its fix. */
export function Warnings({ warnings }: { warnings: readonly HealthProblem[] }) {
  if (warnings.length === 0) return null
  return (
    <ul class="banner warn alerts" aria-label="Warnings">
      {warnings.map(({ code, message }) => (
        <li key={`${code} ${message}`}>
          <p>
            <Foreign text={message} />
          </p>
        </li>
      ))}
    </ul>
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

/** The open alerts, each with its fix. */
export function Alerts({ alerts }: Pick<ViewAnswer<'overview'>, 'alerts'>) {
  if (alerts.length === 0) return null
  return (
    <ul class="banner warn alerts" aria-label="Open alerts">
      {alerts.map(({ id, rule, message, fix, openedAt }) => (
        <li key={id}>
          <p>
            <strong>Alert: {spell(rule)}.</strong> <Foreign text={message} /> Open since{' '}
            <When at={openedAt} />.
          </p>
          <p>
            <Fix text={fix} />
          </p>
        </li>
      ))}
    </ul>
  )
}

/** Text of this kit, with commands between backticks. */
function Fix({ text }: { text: string }) {
  return <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code>{part}</code> : part))}</>
}
