import { useLive } from '@feed-receiver/page-kit'
import { call } from '../../../sandbox/page/src/api.ts'
import { WhyPaused } from '../../../sandbox/page/src/pause.tsx'

/** Shows whether an app receives the feed, and what to do if none does. */
export function Connection() {
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
