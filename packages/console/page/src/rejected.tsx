import type { RefusalRow } from '@feed-receiver/inbox'
import { Foreign, formatNumber, formatPlural, linkTo, Table } from '@feed-receiver/page-kit'
import texts from './texts.json' with { type: 'json' }
import { When } from './words.tsx'

const titles = new Map(Object.entries(texts.rejections))
const senderDoes: Record<RefusalRow['sender'], string> = texts.senderDoes

/** A rejection by another version of the kit may have a reason that this one does not know. */
function Title({ reason }: { reason: string }) {
  return <Foreign text={titles.get(reason) ?? reason} />
}

/** The service sends POST only, so it has not sent a request with another method. */
function isForeign({ reason }: Pick<RefusalRow, 'reason'>): boolean {
  return reason === 'method_not_allowed'
}

/**
 * Whether a rejection has probably paused the feed: its status pauses, and no delivery was accepted
 * since.
 */
export function isPausing(row: RefusalRow, lastDeliveryAt: string | null): boolean {
  const isOver = lastDeliveryAt !== null && lastDeliveryAt > row.lastAt
  return row.sender === 'pause' && !isForeign(row) && !isOver
}

interface RejectedProps {
  refusals: readonly RefusalRow[]
  lastDeliveryAt: string | null
}

/** What was rejected in the last day: in full what has probably paused the feed, the rest in a line. */
export function Rejected({ refusals, lastDeliveryAt }: RejectedProps) {
  const isBad = (row: RefusalRow) => isPausing(row, lastDeliveryAt)
  const others = refusals.filter((row) => !isBad(row))
  return (
    <>
      {refusals.filter(isBad).map((row) => (
        <PausedBy key={row.reason} row={row} />
      ))}
      {others.length > 0 && (
        <p class="banner calm look">
          <span>Rejected in the last 24 hours:</span>
          {others.map(({ reason, count, lastAt }) => (
            <a key={reason} href={linkTo('feed')}>
              {formatNumber(count)} × <Title reason={reason} />, last <When at={lastAt} />
            </a>
          ))}
        </p>
      )}
    </>
  )
}

function PausedBy({ row: { reason, status, count, lastAt, cause, mend } }: { row: RefusalRow }) {
  return (
    <div class="banner bad pause" role="alert">
      <p>
        <strong>Rejected deliveries have probably paused the feed.</strong> The receiver answered{' '}
        {status} (<Title reason={reason} />) to {formatPlural(count, 'delivery', 'deliveries')} in
        the last 24 hours, last <When at={lastAt} />, and has accepted none since.
      </p>
      {cause !== null && (
        <p>
          Cause: <Foreign text={cause} />
        </p>
      )}
      <p>
        {mend} <a href={linkTo('feed')}>See all rejections</a>
      </p>
    </div>
  )
}

/** Every reason for which deliveries were rejected, and what to do about each. */
export function RejectedTable({ refusals }: { refusals: readonly RefusalRow[] }) {
  // What the service has not sent comes last.
  const rows = refusals.toSorted((one, other) => Number(isForeign(one)) - Number(isForeign(other)))
  return (
    <Table
      label="Rejected deliveries"
      head={['Reason', 'Count', 'Status', 'Last']}
      rows={rows.map((row) => ({ id: row.reason, ...row }))}
      none="No delivery was rejected in this time."
      cells={cellsOf}
      main={0}
    />
  )
}

function cellsOf({ reason, count, status, sender, lastAt, cause, mend }: RefusalRow) {
  return [
    <>
      <strong>
        <Title reason={reason} />
      </strong>
      {cause !== null && (
        <span class="under">
          Cause: <Foreign text={cause} />
        </span>
      )}
      {!isForeign({ reason }) && <span class="under">{senderDoes[sender]}</span>}
      <span class="under">{mend}</span>
    </>,
    formatPlural(count, 'time', 'times'),
    status === 0 ? 'none' : status,
    <When at={lastAt} />,
  ]
}
