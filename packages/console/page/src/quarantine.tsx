import type { QuarantinedRow, QuarantineState } from '@feed-receiver/inbox'
import { formatPlural, linkTo, LiveScreen, usePages, Views } from '@feed-receiver/page-kit'
import type { ScreenProps } from '@feed-receiver/page-kit'
import { ask, maxLive } from './api.ts'
import { Id } from './entry-facts.tsx'
import texts from './texts.json' with { type: 'json' }
import { reasons, StateMark, When } from './words.tsx'

const states: Record<QuarantineState | 'all', string> = texts.quarantineFilters

/** What was signed and yet is not for a handler, and why. */
export function Quarantine({ parameters: { state = 'open' } }: ScreenProps) {
  const { count: limit, more } = usePages(state, maxLive)
  return (
    <LiveScreen
      title="Quarantine"
      beside={<Views name="state" label="State" choices={Object.entries(states)} value={state} />}
      lead="Deliveries that carry a valid signature, but that no handler may see as they are."
      question={`${state} ${limit}`}
      load={() => ask('quarantine', { state: state === 'all' ? '' : state, limit })}
    >
      {({ quarantined, next }) => (
        <>
          {quarantined.length === 0 && (
            <p class="empty">
              {state === 'open' ? 'Nothing waits for you here.' : 'There is none.'}
            </p>
          )}
          <ul class="cards">
            {quarantined.map((row) => (
              <Card key={row.id} row={row} />
            ))}
          </ul>
          {more(next)}
        </>
      )}
    </LiveScreen>
  )
}

function Card({ row }: { row: QuarantinedRow }) {
  const { title, says } = reasons[row.reason]
  return (
    <li class="card">
      <div class="card-head">
        <a class="row-link" href={linkTo('quarantined', { id: row.id })}>
          {title}
        </a>
        <StateMark state={row.state} />
      </div>
      <p>{says}</p>
      <p class="under">
        {row.eventId !== null && [<Id text={row.eventId} />, ' · ']}
        {row.seenCount > 1 && `came ${formatPlural(row.seenCount, 'time', 'times')} · `}
        last came <When at={row.lastSeenAt} />
      </p>
    </li>
  )
}
