import type { HealthProblem, RejectionRow } from '@feed-receiver/inbox'
import { Foreign, formatNumber, formatPlural, linkTo, Table } from '@feed-receiver/page-kit'
import texts from './texts.json' with { type: 'json' }
import { Command, When } from './words.tsx'

const titles = new Map(Object.entries(texts.rejections))
const senderDoes: Record<RejectionRow['sender'], string> = texts.senderDoes

/**
 * The title of a rejection. Another version of the kit may have stored a reason that this one does
 * not know.
 */
function Title({ reason }: { reason: string }) {
  return <Foreign text={titles.get(reason) ?? reason} />
}

/** The service sends POST only, so it has not sent a request with another method. */
function isForeign({ reason }: Pick<RejectionRow, 'reason'>): boolean {
  return reason === 'method_not_allowed'
}

/** Sorts requests that the service has not sent behind the others. */
function foreignLast(one: RejectionRow, other: RejectionRow): number {
  return Number(isForeign(one)) - Number(isForeign(other))
}

function isOver({ lastAt }: RejectionRow, lastDeliveryAt: string | null): boolean {
  return lastDeliveryAt !== null && lastDeliveryAt > lastAt
}

/** That a rejection has probably paused the feed, by the warning of the health. */
export function PausedByRejection({ warnings }: { warnings: readonly HealthProblem[] }) {
  return (
    <>
      {warnings.filter(isOfPause).map(({ message }) => (
        <div key={message} class="banner bad pause" role="alert">
          <p>
            <Foreign text={message} />
          </p>
          <p>
            <a href={linkTo('feed')}>See all rejections</a>
          </p>
        </div>
      ))}
    </>
  )
}

/** Whether a warning says that the feed is probably paused. */
function isOfPause({ code }: HealthProblem): boolean {
  return code === 'deliveries_rejected'
}

interface RejectedProps {
  rejections: readonly RejectionRow[]
  lastDeliveryAt: string | null
}

/** The rejections of the last day. Shows the fix unless deliveries were accepted since. */
export function Rejected({ rejections, lastDeliveryAt }: RejectedProps) {
  const rows = rejections.toSorted(foreignLast)
  if (rows.length === 0) return null
  return (
    <div class="banner calm">
      <p>
        <strong>Rejected in the last 24 hours:</strong>
      </p>
      <ul class="rejected">
        {rows.map((row) => (
          <li key={row.reason}>
            <p>
              <a href={linkTo('feed')}>
                {formatNumber(row.count)} × <Title reason={row.reason} />, last{' '}
                <When at={row.lastAt} />
              </a>
            </p>
            {!isForeign(row) && !isOver(row, lastDeliveryAt) && <Cause row={row} />}
          </li>
        ))}
      </ul>
    </div>
  )
}

const lines = new Map(Object.entries(texts.lines))

/** The cause, the fix, and the line to change. */
function Cause({ row: { reason, cause, fix } }: { row: RejectionRow }) {
  const line = lines.get(reason)
  return (
    <>
      {cause !== null && (
        <p>
          Cause: <Foreign text={cause} />
        </p>
      )}
      <p>{fix}</p>
      {line !== undefined && (
        <p>
          Change this line: <Command>{line}</Command>
        </p>
      )}
    </>
  )
}

/** Every reason of rejected deliveries, with its fix. */
export function RejectedTable({ rejections }: { rejections: readonly RejectionRow[] }) {
  const rows = rejections.toSorted(foreignLast)
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

function cellsOf({ reason, count, status, sender, lastAt, cause, fix }: RejectionRow) {
  const line = lines.get(reason)
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
      <span class="under">
        {fix}
        {line !== undefined && [' Change this line: ', <Command>{line}</Command>]}
      </span>
    </>,
    formatPlural(count, 'time', 'times'),
    status === 0 ? 'none' : status,
    <When at={lastAt} />,
  ]
}
