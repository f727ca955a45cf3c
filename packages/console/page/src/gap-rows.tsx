import type { GapRow } from '@feed-receiver/inbox'
import { Foreign } from './foreign.tsx'
import { linkTo } from './route.ts'
import { When } from './when.tsx'

export interface GapRowsProps {
  gaps: GapRow[]
  /** Whether only what the delivery rules push is asked for. */
  isMissed: boolean
}

/** What pull has brought and push has not, each with a link to its entry. */
export function GapRows({ gaps, isMissed }: GapRowsProps) {
  return (
    <>
      <p class="section-lead">
        {isMissed
          ? 'Your delivery rules push these, and yet only pull has brought them. Each was handled like any other.'
          : 'These came by pull alone, whether or not your delivery rules push them.'}{' '}
        An event counts 90 minutes after it was pulled: by then no attempt to push it can come.
      </p>
      {gaps.length === 0 ? (
        <p class="empty">{isMissed ? 'Nothing is known to be missed.' : 'There is none.'}</p>
      ) : (
        <table class="rows">
          <thead>
            <tr>
              <th scope="col">Event</th>
              <th scope="col">Provider</th>
              <th scope="col">Pulled</th>
            </tr>
          </thead>
          <tbody>
            {gaps.map((gap) => (
              <Row key={gap.id} gap={gap} />
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}

function Row({ gap: { eventId, title, type, provider, pulledAt, expected } }: { gap: GapRow }) {
  return (
    <tr>
      <td class="cell-event">
        <a class="row-link" href={linkTo('entry', { id: eventId })}>
          <Foreign text={title} />
        </a>
        <span class="under">
          <Foreign text={type} />
          {expected === null && ' · nobody has said whether it is pushed'}
        </span>
      </td>
      <td class="cell-provider">
        <Foreign text={provider} />
      </td>
      <td class="cell-when">
        <When at={pulledAt} />
      </td>
    </tr>
  )
}
