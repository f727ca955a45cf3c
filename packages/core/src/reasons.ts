import { FeedReceiverError } from './errors.ts'

/** The event is durable: stored now, or stored before. */
export type Accepted = 'stored' | 'duplicate'

/** Authentic, but unfit for a handler: stored in quarantine for an operator. */
export type Quarantined = (typeof quarantineReasons)[number]

export const quarantineReasons = [
  'not_json',
  'not_an_event',
  'unknown_schema_version',
  'id_mismatch',
  'id_conflict',
] as const

export interface Meaning {
  /** The HTTP status of the answer. */
  status: number
  /** What the sender does next: it continues, retries the delivery, or pauses the whole feed. */
  sender: 'accepted' | 'retry' | 'pause'
  /** The error text of the answer. Only rejections have one. */
  error?: string
  /** What the operator of the receiver should do. Only rejections have one. */
  fix?: string
  /** The service never sends such a request, so `statuses` may answer it with any status. */
  notFromService?: true
  /** Closes the connection, because bytes of an unread body would pass for the next request. */
  closes?: true
}

const accepted: Meaning = { status: 202, sender: 'accepted' }
const failed = { status: 503, sender: 'retry' } as const
const unread = { ...failed, closes: true } as const
const forged = { status: 401, sender: 'pause', notFromService: true } as const
const forgedUnread = { ...forged, closes: true } as const

const raiseLimit = 'Raise maxBodyBytes if the feed really sends bodies of this size.'
const mountFirst =
  'Mount the receiver before every body parser, or exclude its path from the parser. In Express, ' +
  'express.json({ verify: keepRawBody }) stores the raw body, too.'

/** The properties of every reason. A new reason is a new row. */
const table = {
  stored: accepted,
  duplicate: { status: 200, sender: 'accepted' },
  not_json: accepted,
  not_an_event: accepted,
  unknown_schema_version: accepted,
  id_mismatch: accepted,
  id_conflict: accepted,

  signature_missing: {
    ...forgedUnread,
    error:
      'The Feed-Signature header is missing. Every delivery is signed, so check that no proxy drops ' +
      'the header.',
    fix:
      'If the service sent them, a proxy drops the Feed-Signature header: configure it to ' +
      'pass the header on. Ignore requests from scanners.',
  },
  signature_malformed: {
    ...forgedUnread,
    error:
      'The Feed-Signature header does not have the form t=<unix seconds>,v1=<64 lowercase hex digits>.',
    fix:
      'If the service sent them, a proxy rewrites the Feed-Signature header: configure it to ' +
      'pass the header on unchanged.',
  },
  signature_mismatch: {
    ...forged,
    error:
      'The signature of this body matches no signing secret of this receiver. Check that the receiver ' +
      "has the destination's current secret, and that nothing rewrites the body on the way.",
    fix:
      "Give the receiver the destination's current signing secret, and check that nothing " +
      "rewrites the body before the receiver. Then send a test delivery from the service's " +
      'dashboard.',
  },
  // A wrong clock must not pause the feed: a retry has a fresh timestamp.
  outside_window: {
    ...failed,
    error:
      'The signature is valid, but its timestamp is too far from the clock of this receiver. Check ' +
      'both clocks.',
    fix:
      'Synchronize the clock of the receiver with NTP. If it is right, the rejected delivery may be ' +
      'a replay attack.',
  },
  method_not_allowed: {
    status: 405,
    sender: 'pause',
    notFromService: true,
    closes: true,
    error: 'This receiver accepts only POST.',
    fix:
      'The service sends POST only, so these are not its deliveries. Point health checks at ' +
      'another route.',
  },
  content_encoding: {
    status: 415,
    sender: 'retry',
    notFromService: true,
    closes: true,
    error:
      'The request must have no Content-Encoding, because the signature covers the uncompressed body.',
    fix: 'Stop the proxy in front of the receiver from compressing request bodies.',
  },
  body_too_large: {
    status: 413,
    sender: 'retry',
    notFromService: true,
    closes: true,
    error: `The body is larger than this receiver accepts. ${raiseLimit}`,
    fix: raiseLimit,
  },
  // 429 is the only status for which the sender follows Retry-After.
  overloaded: {
    status: 429,
    sender: 'retry',
    error:
      'This receiver is storing too many deliveries at once. Retry this one after Retry-After.',
    fix:
      'Check why the database stores slowly, or run more processes. The service retries these ' +
      'after Retry-After.',
  },
  body_already_read: {
    ...unread,
    error: `Something read the body before the receiver could verify it. ${mountFirst}`,
    fix: mountFirst,
  },
  body_incomplete: {
    ...unread,
    error: 'The body is shorter than its Content-Length says.',
    fix: 'Check that no proxy cuts bodies or changes Content-Length.',
  },
  body_timeout: {
    ...unread,
    error: 'The body arrived too slowly.',
    fix:
      'Check the network and the proxies in front of the receiver. Ignore slow requests from ' +
      'scanners.',
  },
  body_evicted: {
    ...unread,
    error:
      'Too many bodies were incomplete at once, so this receiver rejected the oldest. Retry this one.',
    fix:
      'Clients hold many incomplete requests open. Limit connections in your proxy, or let it ' +
      'buffer request bodies.',
  },
  client_gone: {
    ...unread,
    error: 'The connection was closed before the body was complete.',
    fix:
      'If this happens often, raise the timeout of the proxy in front of the receiver above ' +
      '10 s.',
  },
  secrets_unavailable: {
    ...failed,
    error: 'This receiver has no signing secret at the moment, so it cannot verify the delivery.',
    fix:
      'Check the function that provides the signing secrets, and the source it reads them ' +
      'from.',
  },
  store_timeout: {
    ...failed,
    error: 'The event could not be stored in time.',
    fix: 'Check the load, the locks and the connections of the database.',
  },
  store_failed: {
    ...failed,
    error: 'The event could not be stored.',
    fix: 'Check that the database runs and has disk space, and that inbox.start() succeeded.',
  },
  shutting_down: {
    ...unread,
    error: 'This receiver is shutting down.',
    fix: 'Do nothing: the service retries these.',
  },
} satisfies Record<string, Meaning>

/** Why a delivery got its answer; every delivery has exactly one reason. */
export type Reason = keyof typeof table

/** Rejected: nothing was stored. */
export type Rejected = Exclude<Reason, Accepted | Quarantined>

type Rejection = Meaning & Required<Pick<Meaning, 'error' | 'fix'>>

export const reasons: Readonly<
  Record<Accepted | Quarantined, Meaning> & Record<Rejected, Rejection>
> = table

/** The default status for each reason; the option `statuses` overrides it. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.entries forgets the names
export const statuses = Object.fromEntries(
  Object.entries(reasons).map(([reason, { status }]) => [reason, status]),
) as Readonly<Record<Reason, number>>

/** What the sender does after an answer with this status. The option `statuses` may set it. */
export function afterStatus(status: number): Meaning['sender'] {
  if (status >= 200 && status <= 299) return 'accepted'
  return pausingStatuses.includes(status) ? 'pause' : 'retry'
}

/**
 * Reasons that reject only requests of others, because the service sends only POST. Their statuses
 * do not pause the feed. A reason with `notFromService` may reject a delivery that a proxy changed.
 */
export const neverSentReasons: readonly string[] = ['method_not_allowed' satisfies Rejected]

/** The statuses at which the service pauses the whole feed. */
export const pausingStatuses: readonly number[] = [400, 401, 403, 404, 405, 410, 422]
const bodiless: readonly number[] = [204, 205, 304]

/**
 * Applies overrides to the table of statuses.
 *
 * @throws FeedReceiverError `bad_option` for an unknown reason, for an invalid status, and for a
 * status that would pause the feed, or end a delivery, because of an authentic event.
 */
export function overrideStatuses(
  overrides: Partial<Record<Reason, number>>,
): Readonly<Record<Reason, number>> {
  for (const [reason, status] of Object.entries(overrides)) {
    const problem = isReason(reason)
      ? statusProblem(reason, status)
      : 'there is no such reason; see the exported table `reasons`'
    if (problem) throw new FeedReceiverError('bad_option', `statuses.${reason}: ${problem}.`)
  }
  return { ...statuses, ...overrides }
}

function statusProblem(reason: Reason, status: number): string | undefined {
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    return `${status} is not an HTTP status from 200 to 599`
  }
  if (bodiless.includes(status)) return `a ${status} cannot have a body, but every answer has one`
  const { notFromService, sender } = reasons[reason]
  if (notFromService || status === 429 || status === 503) return undefined
  // Anything else would pause the feed, and 2xx would lose an event that is not stored.
  if (status < 300 && sender === 'accepted') return undefined
  return sender === 'accepted'
    ? 'an authentic delivery may only be answered 2xx, 429 or 503'
    : 'an authentic delivery that is not stored may only be answered 429 or 503'
}

/** Whether the answer of an inbox is a quarantine reason. */
export function isQuarantined(value: unknown): value is Quarantined {
  return quarantineReasons.some((reason) => reason === value)
}

function isReason(text: string): text is Reason {
  return Object.hasOwn(reasons, text)
}
