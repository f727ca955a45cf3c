import type { HealthProblem, RejectionRow } from '@feed-receiver/inbox'
import { Foreign, formatNumber, formatPlural, linkTo, Table } from '@feed-receiver/page-kit'
import { Command, When } from './words.tsx'

const titles = new Map([
  ['signature_missing', 'No signature'],
  ['signature_malformed', 'Malformed signature'],
  ['signature_mismatch', 'Wrong signature'],
  ['outside_window', 'Timestamp outside the tolerance'],
  ['method_not_allowed', 'Not a POST request'],
  ['content_encoding', 'Compressed body'],
  ['body_too_large', 'Body too large'],
  ['overloaded', 'Too many deliveries at once'],
  ['body_already_read', 'Body already parsed'],
  ['body_incomplete', 'Incomplete body'],
  ['body_timeout', 'Slow body'],
  ['body_evicted', 'Too many unfinished requests'],
  ['client_gone', 'Connection closed by the sender'],
  ['secrets_unavailable', 'No signing secret'],
  ['store_timeout', 'Database too slow'],
  ['store_failed', 'Database failed'],
  ['shutting_down', 'Receiver shutting down'],
  ['other', 'Unknown reason'],
])

const senderDoes: Record<RejectionRow['sender'], string> = {
  pause: 'The service pauses the feed after this status, until a test delivery succeeds.',
  retry: 'The service retries with backoff, up to eight attempts.',
  accepted: 'The service counts these as delivered and does not retry.',
}

/** The line to change, if there is one. */
const lines = new Map([
  ['signature_missing', 'proxy_set_header Feed-Signature $http_feed_signature;'],
  ['signature_malformed', 'proxy_set_header Feed-Signature $http_feed_signature;'],
  ['signature_mismatch', 'FEED_SIGNING_SECRET=<secret of the destination>'],
  ['outside_window', 'timedatectl set-ntp true'],
  ['body_too_large', 'createReceiver({ secrets, inbox, maxBodyBytes: 4 * 1_048_576 })'],
  ['body_already_read', 'app.use(express.json({ verify: keepRawBody }))'],
  ['client_gone', 'proxy_read_timeout 15s;'],
  ['secrets_unavailable', 'createReceiver({ secrets: [process.env.FEED_SIGNING_SECRET], inbox })'],
  ['store_failed', 'DATABASE_URL=postgres://<user>@<host>/<database>'],
])

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
                {formatNumber(row.count)} × <Title reason={row.reason} />, last{' '}
                <When at={row.lastAt} />
              </a>
            </p>
            {!isOver(row, lastDeliveryAt) && <Cause row={row} />}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** A footnote: anybody can send a forged delivery, and the feed goes on. */
export function Strangers({ rejections }: Pick<RejectedProps, 'rejections'>) {
  if (rejections.length === 0) return null
  return (
    <p class="hint">
      Rejected in the last 24 hours, probably from strangers:{' '}
      {rejections.map(({ reason, count }, at) => [
        at > 0 && ', ',
        `${formatNumber(count)} × `,
        <Title reason={reason} />,
      ])}
      . <a href={linkTo('feed')}>See rejections</a>
    </p>
  )
}

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
