import type { QuarantinedRow, QuarantineState } from '@feed-receiver/inbox'
import { formatNumber, LiveScreen, RowLink, Table, usePages, Views } from '@feed-receiver/page-kit'
import type { ScreenProps } from '@feed-receiver/page-kit'
import { ask, maxLive } from './api.ts'
import { reasons } from './quarantined.tsx'
import { Id, StateMark, When } from './words.tsx'

const states: Record<QuarantineState | 'all', string> = {
  open: 'Open',
  released: 'Released',
  discarded: 'Discarded',
  all: 'All',
}

/** Signed deliveries that no handler gets, with the reason. */
export function Quarantine({ parameters: { state = 'open' } }: ScreenProps) {
  const { count: limit, more } = usePages(state, maxLive)
  return (
    <LiveScreen
      title="Quarantine"
      beside={<Views name="state" label="State" choices={Object.entries(states)} value={state} />}
      lead="Deliveries with a valid signature that are held back from handlers."
      question={`${state} ${limit}`}
      load={() => ask('quarantine', { state: state === 'all' ? '' : state, limit })}
    >
      {({ quarantined, next }) => (
        <>
          <Table
            label="Quarantine"
            head={['State', 'Delivery', 'Received', 'Last']}
            rows={quarantined}
            none={state === 'open' || state === 'all' ? nothing : 'No deliveries.'}
            cells={cellsOf}
            isDense
          />
          {more(next)}
        </>
      )}
    </LiveScreen>
  )
}

const nothing =
  'No deliveries in quarantine. Signed ones that are unreadable or contradictory appear here live.'

function cellsOf({ id, reason, state, eventId, seenCount, lastSeenAt }: QuarantinedRow) {
  const { title, says } = reasons[reason]
  return [
    <StateMark state={state} />,
    <RowLink to="quarantined" id={id} title={title} line={says}>
      {eventId !== null && <Id text={eventId} />}
    </RowLink>,
    seenCount === 1 ? 'once' : `${formatNumber(seenCount)} times`,
    <When at={lastSeenAt} />,
  ]
}
