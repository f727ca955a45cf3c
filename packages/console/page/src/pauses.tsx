import type { PauseRow } from '@feed-receiver/inbox'
import { AskFirst, Untrusted, linkTo, useLive, useRoute } from '@feed-receiver/page-kit'
import { useContext } from 'preact/hooks'
import { act, ask, Allowed } from './api.ts'
import { formatTime } from './words.tsx'

/** The pauses: since when, by whom and why, with a button to resume each. */
export function Pauses({ pauses }: { pauses: readonly PauseRow[] }) {
  if (pauses.length === 0) return null
  return (
    <div class="banner warn paused">
      <ul>
        {pauses.map((pause) => (
          <li key={pause.type ?? ''} class="row">
            <p>
              <PauseWords pause={pause} />
            </p>
            <Resume type={pause.type} />
          </li>
        ))}
      </ul>
      <p>Deliveries are still received and stored. Their handlers run after you resume.</p>
    </div>
  )
}

/**
 * Shows on every other screen that the whole inbox is paused, because users wonder why no handler
 * runs.
 */
export function PausedBar() {
  const { answer } = useLive('pauses', () => ask('pauses'), 5_000)
  const { screen } = useRoute()
  const whole = answer?.pauses.find(({ type }) => type === null)
  if (!whole || screen === '' || screen === 'overview') return null
  return (
    <aside class="banner warn paused-bar" aria-label="Paused">
      <p>
        <PauseWords pause={whole} /> <a href={linkTo('overview')}>Go to the overview</a>
      </p>
    </aside>
  )
}

function PauseWords({ pause: { type, since, by, reason } }: { pause: PauseRow }) {
  return (
    <>
      <strong>{type === null ? 'The whole inbox' : <Untrusted text={type} />} is paused</strong>{' '}
      since <time dateTime={since}>{formatTime(since)}</time>
      {by !== null && [' by ', <Untrusted text={by} />]}. Reason: <Untrusted text={reason} />
    </>
  )
}

function Resume({ type }: Pick<PauseRow, 'type'>) {
  if (useContext(Allowed).readOnly) return null
  const resume = async () => {
    await act('resume', type === null ? {} : { types: [type] })
    return 'Resumed. Workers continue within a second.'
  }
  const question = type === null ? 'Resume the whole inbox?' : 'Resume this type?'
  return (
    <AskFirst label="Resume" question={question} onYes={resume}>
      {type === null ? (
        'Workers handle all pending events again. Types that are paused by name stay paused. '
      ) : (
        <>
          Workers handle pending events of <Untrusted text={type} /> again, unless the whole inbox
          is paused.{' '}
        </>
      )}
      Your name is recorded.
    </AskFirst>
  )
}
