import {
  accountEventContract,
  accountEventSchema,
  accountEventsContract,
  eventRefPattern,
  type AccountEvent,
  type AccountEventType,
  type AccountSubjectType,
} from '@feed-receiver/core/api'
import { ClientError } from './errors.ts'
import { checkLimit, toQuery } from './query.ts'
import { memberOf, readerOf, readPage, type Page } from './read-page.ts'
import type { Requester, RequestOptions } from './requester.ts'

export interface AccountEventFilter {
  /** Up to five. */
  types?: readonly AccountEventType[] | undefined
  subjectType?: AccountSubjectType | undefined
}

export interface AccountEventsOptions extends AccountEventFilter, RequestOptions {
  /** Where an earlier page of the same filter and account said to go on: to older events. */
  cursor?: string | null | undefined
  /**
   * How many events a page may have, up to 100.
   * @default 50
   */
  limit?: number | undefined
  /**
   * The `eventRef` of the newest event that is known already: the stream ends before it, and so
   * brings only what is new. An event that is corrected or retracted stays where it is, so read
   * everything again, without this, now and then.
   */
  downTo?: string | undefined
}

const readAccountEvent = readerOf<AccountEvent>(accountEventSchema)

/** Gets one page of `/v1/account-events`, newest first with or without a cursor. */
export async function getAccountEventPage(
  requester: Requester,
  { types = [], subjectType, cursor = null, limit = 50, signal, maxWaitMs }: AccountEventsOptions,
): Promise<Page<AccountEvent>> {
  checkLimit(limit, 100)
  if (types.length > 5 || new Set(types).size !== types.length) {
    throw new ClientError('bad_option', 'types: name up to five, each once.')
  }
  const query = toQuery({ limit, cursor, subjectType })
  for (const type of types) query.append('type', type)
  const body = await requester.get('/v1/account-events', query, { signal, maxWaitMs })
  checkContract(body, accountEventsContract)
  return readPage(body, readAccountEvent, cursor)
}

/** Gets one account event. Errors: `not_found` also where it belongs to another account. */
export async function getAccountEvent(
  requester: Requester,
  eventRef: string,
  options: RequestOptions,
): Promise<AccountEvent> {
  if (!eventRefPattern.test(eventRef)) {
    throw new ClientError(
      'bad_option',
      'eventRef: this is none. Take it from an account event; it is event_ and 48 hex characters.',
    )
  }
  const path = `/v1/account-events/${eventRef}`
  const body = await requester.get(path, new URLSearchParams(), options)
  checkContract(body, accountEventContract)
  const read = readAccountEvent(memberOf(body, 'event'))
  if ('item' in read) return read.item
  throw new ClientError(
    'unexpected_answer',
    `The service answered ${path} with no account event (${read.detail}).`,
    { status: 200, answer: body },
  )
}

/** Halts before anything is read under terms that this version does not know. */
function checkContract(body: unknown, known: string): void {
  if (memberOf(body, 'contractVersion') === known) return
  throw new ClientError(
    'unknown_contract',
    `The service sent account events under another contract than ${known}. Update this package; ` +
      'what was sent is in the answer of this error.',
    { status: 200, answer: body },
  )
}
