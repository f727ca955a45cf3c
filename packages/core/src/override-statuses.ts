import { FeedReceiverError } from './errors.ts'
import { statuses, type Reason } from './statuses.ts'

// These do not speak of the delivery itself: a forged, oversize or encoded one may be answered
// with anything. For all others the delivery is authentic, or may be.
const mayPause: ReadonlySet<string> = new Set<Reason>([
  'signature_missing',
  'signature_malformed',
  'signature_mismatch',
  'method_not_allowed',
  'content_encoding',
  'body_too_large',
])

const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

/**
 * Lays overrides over the table of answers.
 *
 * @throws FeedReceiverError `bad_option` for an unknown reason, for what is no status, and for a
 * status that would pause the feed, or end a delivery, over an authentic event.
 */
export function overrideStatuses(
  overrides: Partial<Record<Reason, number>>,
): Readonly<Record<Reason, number>> {
  for (const [reason, status] of Object.entries(overrides)) {
    if (!Object.hasOwn(statuses, reason)) {
      throw badStatus(reason, 'there is no such reason; see the exported table `statuses`')
    }
    if (!Number.isInteger(status) || status < 200 || status > 599) {
      throw badStatus(reason, `${status} is no HTTP status from 200 to 599`)
    }
    if (bodiless.has(status)) {
      throw badStatus(reason, `an answer with ${status} has no body, and this one has`)
    }
    if (!mayPause.has(reason) && !(status < 300 || status === 429 || status === 503)) {
      throw badStatus(reason, 'an authentic delivery may only be answered 2xx, 429 or 503')
    }
  }
  return { ...statuses, ...overrides }
}

function badStatus(reason: string, problem: string): FeedReceiverError {
  return new FeedReceiverError('bad_option', `statuses.${reason}: ${problem}.`)
}
