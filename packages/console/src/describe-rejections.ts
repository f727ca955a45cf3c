import { reasons, type Meaning } from '@feed-receiver/core'
import { neverSentReasons } from '@feed-receiver/core/internal'
import type { RejectionRow } from '@feed-receiver/inbox'

/** A rejection with its reason in words. */
export type TitledRejection = RejectionRow & {
  title: string
  /** What the service does after it, in words; null for a request that it has not sent. */
  does: string | null
}

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

/**
 * Describes rejections, those of the service first. Another version of the kit may have stored a
 * reason that this one does not know.
 */
export function describeRejections(rejections: readonly RejectionRow[]): TitledRejection[] {
  const isNeverSent = ({ reason }: RejectionRow) => neverSentReasons.includes(reason)
  return rejections
    .toSorted((one, other) => Number(isNeverSent(one)) - Number(isNeverSent(other)))
    .map((row) => ({
      ...row,
      title: titles.get(row.reason) ?? row.reason,
      does: isNeverSent(row) ? null : senderDoes[row.sender],
    }))
}

/** Whether anybody's request may have been rejected for this reason. */
export function isOfStrangers({ reason }: RejectionRow): boolean {
  const known: Readonly<Record<string, Meaning>> = reasons
  return known[reason]?.notFromService === true
}
