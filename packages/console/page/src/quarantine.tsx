import type { QuarantinedPage, QuarantinedRow, QuarantineState } from '@feed-receiver/inbox'
import { useRef, useState } from 'preact/hooks'
import { ask } from './api.ts'
import { Foreign } from './foreign.tsx'
import { formatPlural } from './numbers.ts'
import { Problem } from './problem.tsx'
import { reasons } from './reasons.ts'
import { linkTo, replaceRoute } from './route.ts'
import type { ScreenProps } from './screens.tsx'
import { StateMark } from './state.tsx'
import { stepThrough } from './step-through.ts'
import { useKeys } from './use-keys.ts'
import { useLive } from './use-live.ts'
import { When } from './when.tsx'

const states: Record<QuarantineState | 'all', string> = {
  open: 'Open',
  released: 'Released',
  discarded: 'Discarded',
  all: 'All',
}

const pageSize = 50

/** What was signed and yet is not for a handler, and why. */
export function Quarantine({ parameters }: ScreenProps) {
  const state = parameters['state'] ?? 'open'
  const [limit, setLimit] = useState(pageSize)
  const live = useLive(`${state} ${limit}`, () =>
    ask<QuarantinedPage>('quarantine', { state: state === 'all' ? '' : state, limit }),
  )
  const list = useRef<HTMLUListElement>(null)
  useKeys({ j: () => stepThrough(list.current, 1), k: () => stepThrough(list.current, -1) })
  return (
    <>
      <div class="head">
        <h1 tabIndex={-1}>Quarantine</h1>
        <div class="segments" role="group" aria-label="State">
          {Object.entries(states).map(([name, label]) => (
            <button
              key={name}
              aria-pressed={name === state}
              onClick={() => replaceRoute(linkTo('quarantine', { state: name }))}
            >
              {label}
            </button>
          ))}
        </div>
      </div>
      <p class="lead">
        Deliveries that carry a valid signature, but that no handler may see as they are.
      </p>
      <Problem error={live.error} />
      {live.answer?.quarantined.length === 0 && (
        <p class="empty">{state === 'open' ? 'Nothing waits for you here.' : 'There is none.'}</p>
      )}
      <ul class={`cards ${live.isStale ? 'stale' : ''}`} ref={list}>
        {live.answer?.quarantined.map((row) => (
          <Card key={row.id} row={row} />
        ))}
      </ul>
      {live.answer && live.answer.next !== null && limit < 500 && (
        <p class="more">
          <button onClick={() => setLimit(Math.min(limit + pageSize, 500))}>Show more</button>
        </p>
      )}
    </>
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
        {row.eventId !== null && (
          <>
            <code>
              <Foreign text={row.eventId} />
            </code>
            {' · '}
          </>
        )}
        {row.seenCount > 1 && `came ${formatPlural(row.seenCount, 'time', 'times')} · `}
        last came <When at={row.lastSeenAt} />
      </p>
    </li>
  )
}
