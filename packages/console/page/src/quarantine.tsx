import type { QuarantinedPage, QuarantinedRow, QuarantineState } from '@feed-receiver/inbox'
import {
  formatPlural,
  Head,
  linkTo,
  More,
  replaceRoute,
  Segments,
  Shown,
  useLive,
  useSteps,
} from '@feed-receiver/page-kit'
import type { ScreenProps } from '@feed-receiver/page-kit'
import { useState } from 'preact/hooks'
import { ask } from './api.ts'
import { Id } from './entry-facts.tsx'
import { reasons } from './reasons.ts'
import { When } from './when.tsx'
import { StateMark } from './words.tsx'

const states: Record<QuarantineState | 'all', string> = {
  open: 'Open',
  released: 'Released',
  discarded: 'Discarded',
  all: 'All',
}

const pageSize = 50
const maxSize = 500

/** What was signed and yet is not for a handler, and why. */
export function Quarantine({ parameters: { state = 'open' } }: ScreenProps) {
  const [limit, setLimit] = useState(pageSize)
  const live = useLive(`${state} ${limit}`, () =>
    ask<QuarantinedPage>('quarantine', { state: state === 'all' ? '' : state, limit }),
  )
  const list = useSteps<HTMLUListElement>()
  return (
    <>
      <Head title="Quarantine">
        <Segments
          label="State"
          choices={Object.entries(states)}
          value={state}
          onChoose={(chosen) => replaceRoute('quarantine', { state: chosen })}
        />
      </Head>
      <p class="lead">
        Deliveries that carry a valid signature, but that no handler may see as they are.
      </p>
      <Shown live={live}>
        {({ quarantined, next }) => (
          <>
            {quarantined.length === 0 && (
              <p class="empty">
                {state === 'open' ? 'Nothing waits for you here.' : 'There is none.'}
              </p>
            )}
            <ul class="cards" ref={list}>
              {quarantined.map((row) => (
                <Card key={row.id} row={row} />
              ))}
            </ul>
            {next !== null && limit < maxSize && (
              <More onMore={() => setLimit(Math.min(limit + pageSize, maxSize))} />
            )}
          </>
        )}
      </Shown>
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
            <Id text={row.eventId} />
            {' · '}
          </>
        )}
        {row.seenCount > 1 && `came ${formatPlural(row.seenCount, 'time', 'times')} · `}
        last came <When at={row.lastSeenAt} />
      </p>
    </li>
  )
}
