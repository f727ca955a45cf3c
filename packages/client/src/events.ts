import {
  accountEventContract,
  accountEventSchema,
  accountEventsContract,
  apiEventSchema,
  eventRefPattern,
  type AccountEvent,
  type AccountEventType,
  type AccountSubjectType,
  type ApiEvent,
} from './api/index.ts'
import { checkOption, ClientError } from './errors.ts'
import { memberOf } from './causes.ts'
import { readerOf, readPage, type Page } from './read-page.ts'
import type { Requester, RequestOptions } from './requester.ts'

export interface EventFilter {
  /** The exact slug of a provider. */
  provider?: string | undefined
  /** An exact event type, or `outage` for all outage events. */
  type?: string | undefined
  /**
   * `all` adds early signals, which may never be confirmed.
   * @default 'confirmed', the service's default
   */
  confirmation?: 'confirmed' | 'all' | undefined
}

export interface PageOptions {
  /**
   * The `cursor` of an earlier page with the same filter and account. Events: without a cursor the
   * newest come first; with one, the oldest after it. Account events: a cursor leads to older ones.
   */
  cursor?: string | null | undefined
  /**
   * The number of events per page: up to 200, or up to 100 for account events.
   * @default 50
   */
  limit?: number | undefined
}

export interface EventsOptions extends EventFilter, PageOptions, RequestOptions {
  /**
   * @deprecated Can skip events that share a timestamp; store a cursor instead.
   */
  after?: Date | string | undefined
}

export interface AccountEventFilter {
  /**
   * Only events of these types, of which the service accepts up to five.
   * @default all types
   */
  types?: readonly AccountEventType[] | undefined
  /**
   * Only events about subjects of this type.
   * @default all types of subjects
   */
  subjectType?: AccountSubjectType | undefined
}

export interface AccountEventsOptions extends AccountEventFilter, PageOptions, RequestOptions {
  /**
   * The `eventRef` of the newest event that you already have. The stream ends before it and so
   * returns only new events. A corrected or retracted event keeps its position, so read everything
   * again from time to time without this option.
   */
  downTo?: string | undefined
}

export const readEvent = readerOf(apiEventSchema)
const readAccountEvent = readerOf(accountEventSchema)

/** Gets one page of `/v1/events`. */
export async function getEventPage(
  requester: Requester,
  { provider, type, confirmation, cursor = null, limit = 50, after, ...options }: EventsOptions,
): Promise<Page<ApiEvent>> {
  checkLimit(limit, 200)
  checkOption(String(after) !== 'Invalid Date', 'after is an invalid date. Pass one with a time.')
  const afterTime = after instanceof Date ? after.toISOString() : after
  const query = { limit, cursor, provider, type, confirmation, after: afterTime }
  return readPage(await requester.get('/v1/events', query, options), readEvent, cursor)
}

/** Gets one page of `/v1/account-events`, newest first with and without a cursor. */
export async function getAccountEventPage(
  requester: Requester,
  { types = [], subjectType, cursor = null, limit = 50, ...options }: AccountEventsOptions,
): Promise<Page<AccountEvent>> {
  checkLimit(limit, 100)
  const isDistinct = new Set(types).size === types.length
  checkOption(types.length <= 5 && isDistinct, 'types must be up to five different types.')
  const query = { limit, cursor, subjectType, type: types }
  const body = await requester.get('/v1/account-events', query, options)
  checkContract(body, accountEventsContract)
  return readPage(body, readAccountEvent, cursor)
}

/** Gets one account event. Errors: `not_found`, also if it belongs to another account. */
export async function getAccountEvent(
  requester: Requester,
  eventRef: string,
  options: RequestOptions,
): Promise<AccountEvent> {
  checkOption(
    eventRefPattern.test(eventRef),
    'eventRef must be event_ and 48 hex characters. Copy it from an account event.',
  )
  const path = `/v1/account-events/${eventRef}`
  const body = await requester.get(path, {}, options)
  checkContract(body, accountEventContract)
  const read = readAccountEvent(memberOf(body, 'event'))
  if ('item' in read) return read.item
  throw new ClientError(
    'unexpected_answer',
    `The answer to ${path} is not an account event (${read.detail}). Check baseUrl, and update this package.`,
    { status: 200, answer: body },
  )
}

/** Rejects a limit out of range here, because it would cost a request for nothing. */
function checkLimit(limit: number, largest: number): void {
  const isSound = Number.isInteger(limit) && limit >= 1 && limit <= largest
  checkOption(isSound, `limit must be a whole number from 1 to ${largest}.`)
}

/** Rejects a contract version that this package does not support, before it reads data. */
function checkContract(body: unknown, known: string): void {
  if (memberOf(body, 'contractVersion') === known) return
  throw new ClientError(
    'unknown_contract',
    `The service sent account events with another contract version than ${known}. Update this ` +
      "package; the answer is in this error's `answer`.",
    { status: 200, answer: body },
  )
}
