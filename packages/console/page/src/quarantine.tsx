import type { QuarantinedRow, QuarantineState } from '@feed-receiver/inbox'
import {
  changeRoute,
  formatNumber,
  LiveScreen,
  RowLink,
  Select,
  Table,
  usePages,
  Views,
} from '@feed-receiver/page-kit'
import type { Choice, ScreenProps } from '@feed-receiver/page-kit'
import { ask, maxLive } from './api.ts'
import { reasons } from './quarantined.tsx'
import { Bulk } from './actions.tsx'
import { Id, StateMark, When } from './words.tsx'

const states: Record<QuarantineState | 'all', string> = {
  open: 'Open',
  released: 'Released',
  discarded: 'Discarded',
  all: 'All',
}

const titles = Object.entries(reasons).map(([reason, { title }]): Choice => [reason, title])

/** Signed deliveries that no handler gets, with the reason. */
export function Quarantine({ parameters: { state = 'open', reason = '' } }: ScreenProps) {
  const { count: limit, more } = usePages(`${state} ${reason}`, maxLive)
  return (
    <LiveScreen
      title="Quarantine"
      beside={(found) => (
        <>
          <Views name="state" label="State" choices={Object.entries(states)} value={state} />
          {state === 'open' && found && found.quarantined.length > 0 && (
            <Bulk verb="Discard" label="Discard all …" target={{ filter: { reason } }} />
          )}
        </>
      )}
      top={
        <search class="narrowing">
          <Select
            aria-label="Reason"
            choices={[['', 'Any reason'], ...titles]}
            chosen={reason}
            onChoose={(chosen) => changeRoute({ reason: chosen })}
          />
        </search>
      }
      lead="Deliveries with a valid signature that are held back from handlers."
      question={`${state} ${reason} ${limit}`}
      load={() => ask('quarantine', { state: state === 'all' ? '' : state, reason, limit })}
    >
      {({ quarantined, next }) => (
        <>
          <Table
            label="Quarantine"
            head={['State', 'Delivery', 'Received', 'Last']}
            rows={quarantined}
            none={
              reason === '' && (state === 'open' || state === 'all') ? nothing : 'No deliveries.'
            }
            cells={quarantinedCells}
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

function quarantinedCells({ id, reason, state, eventId, seenCount, lastSeenAt }: QuarantinedRow) {
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
