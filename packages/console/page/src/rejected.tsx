import { Untrusted, formatNumber, formatPlural, linkTo, Table } from '@feed-receiver/page-kit'
import type { TitledRejection } from '../../src/describe-rejections.ts'
import { When } from './words.tsx'

function isOver({ lastAt }: TitledRejection, lastDeliveryAt: string | null): boolean {
  return lastDeliveryAt !== null && lastDeliveryAt > lastAt
}

/** That a rejection has probably paused the feed, by the warning of the health. */
export function PausedByRejection({ message }: { message: string }) {
  return (
    <div class="banner bad pause" role="alert">
      <p>
        <Untrusted text={message} />
      </p>
      <p>
        <a href={linkTo('feed')}>See rejections and missed events</a>
      </p>
    </div>
  )
}

interface RejectedProps {
  rejections: readonly TitledRejection[]
  lastDeliveryAt: string | null
}

/**
 * The rejections of the last day. Shows the fix unless deliveries were accepted since, or `told`
 * above has it already.
 */
export function Rejected({
  rejections,
  lastDeliveryAt,
  told = '',
}: RejectedProps & { told: string | undefined }) {
  if (rejections.length === 0) return null
  return (
    <div class="banner calm">
      <p>
        <strong>Rejected in the last 24 hours:</strong>
      </p>
      <ul class="rejected">
        {rejections.map((row) => (
          <li key={row.reason}>
            <p>
              <a href={linkTo('feed')}>
                {formatNumber(row.count)} × <Untrusted text={row.title} />, last{' '}
                <When at={row.lastAt} />
              </a>
            </p>
            {!isOver(row, lastDeliveryAt) && !told.includes(row.fix) && <Cause row={row} />}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** A footnote: anybody can send a forged delivery, and the feed goes on. */
export function Strangers({ rejections, lastDeliveryAt }: RejectedProps) {
  if (rejections.length === 0) return null
  return (
    <p class="hint">
      Rejected in the last 24 hours, probably from strangers:{' '}
      {rejections.map(({ title, count }, at) => [
        at > 0 && ', ',
        `${formatNumber(count)} × `,
        <Untrusted text={title} />,
      ])}
      .
      {rejections.every((row) => isOver(row, lastDeliveryAt)) || ' No delivery was accepted since.'}{' '}
      <a href={linkTo('feed')}>See rejections</a>
    </p>
  )
}

function Cause({ row: { cause, fix } }: { row: TitledRejection }) {
  return (
    <>
      {cause !== null && (
        <p>
          Cause: <Untrusted text={cause} />
        </p>
      )}
      <p>{fix}</p>
    </>
  )
}

/** Every reason of rejected deliveries, with its fix. */
export function RejectedTable({ rejections }: { rejections: readonly TitledRejection[] }) {
  return (
    <Table
      label="Rejected deliveries"
      head={['Reason', 'Count', 'Status', 'Last']}
      rows={rejections.map((row) => ({ id: row.reason, ...row }))}
      none="No delivery was rejected in this time."
      cells={rejectionCells}
      main={0}
    />
  )
}

function rejectionCells({ title, count, status, does, lastAt, cause, fix }: TitledRejection) {
  return [
    <>
      <strong>
        <Untrusted text={title} />
      </strong>
      {cause !== null && (
        <span class="under">
          Cause: <Untrusted text={cause} />
        </span>
      )}
      {does !== null && <span class="under">{does}</span>}
      <span class="under">{fix}</span>
    </>,
    formatPlural(count, 'time', 'times'),
    status === 0 ? 'none' : status,
    <When at={lastAt} />,
  ]
}
