import type { GapCounts } from '@feed-receiver/inbox'
import { linkTo } from '@feed-receiver/page-kit'
import { When } from './when.tsx'
import { formatCount } from './words.tsx'

export interface PauseProps {
  gaps: GapCounts | null
  /** Whether to lead to what was missed. */
  hasLink?: boolean
}

/** Says that the destination is probably paused, and what to do about it. */
export function Pause({ gaps, hasLink = false }: PauseProps) {
  const pause = gaps?.probablePause
  if (!pause) return null
  const { missed, lastPushAt } = pause
  return (
    <div class="banner bad pause" role="alert">
      <p>
        <strong>Push is probably paused.</strong>{' '}
        {lastPushAt === null
          ? 'No push is known'
          : ['The last push came ', <When at={lastPushAt} />]}
        , and {formatCount(missed)} {missed.count === 1 ? 'event' : 'events'} that your delivery
        rules push came by pull alone.
      </p>
      <p>
        Send a test delivery from the service’s dashboard: nothing else activates a paused
        destination. If the test fails, the answer that it got says what to mend first. Until then,
        pull goes on. {hasLink && <a href={linkTo('feed')}>See what was missed</a>}
      </p>
    </div>
  )
}
