import type { Queryable } from '@feed-receiver/database'
import { serviceAccountEvent, type ServiceAccountEvent } from '../state/account-event-schema.ts'

/** Adds events to what an account sees, in this order; false where there is no such account. */
export async function insertAccountEvents(
  db: Queryable,
  accountId: string,
  events: readonly ServiceAccountEvent[],
): Promise<boolean> {
  const checked = events.map((event) => serviceAccountEvent.parse(event))
  const { rowCount } = await db.query(
    `insert into sandbox.account_event (account_id, ref, type, subject_type, body)
     select account.id, ref, type, subject_type, body
     from sandbox.account, unnest($2::text[], $3::text[], $4::text[], $5::text[]) with ordinality
       as given (ref, type, subject_type, body, place)
     where account.id = $1
     order by place`,
    [
      accountId,
      checked.map(({ eventRef }) => eventRef),
      checked.map(({ type }) => type),
      checked.map(({ subject }) => subject.type),
      checked.map((event) => JSON.stringify(event)),
    ],
  )
  return rowCount === checked.length
}

/** Puts other content in the place of an event, which keeps its place. */
export async function replaceAccountEvent(
  db: Queryable,
  event: ServiceAccountEvent,
): Promise<void> {
  const { eventRef, ...content } = serviceAccountEvent.parse(event)
  await db.query('update sandbox.account_event set body = $2 where ref = $1', [
    eventRef,
    JSON.stringify({ eventRef, ...content }),
  ])
}

/** Locked until the end of the transaction. */
export async function lockAccountEvent(
  db: Queryable,
  ref: string,
): Promise<{ accountId: string; event: ServiceAccountEvent } | undefined> {
  const { rows } = await db.query<{ account_id: string; body: string }>(
    'select account_id, body from sandbox.account_event where ref = $1 for update',
    [ref],
  )
  return rows.map(({ account_id, body }) => ({
    accountId: account_id,
    event: serviceAccountEvent.parse(JSON.parse(body)),
  }))[0]
}

export interface AccountEventFilter {
  accountId: string
  types: readonly string[] | undefined
  subjectType: string | undefined
  /** Only what is older than this position. */
  before: number | undefined
}

export interface AccountEventRows {
  /** The events as JSON, with commas between them. */
  data: string
  lastPosition: number
  hasMore: boolean
}

/** One page, the newest first, with a cursor too (R131). */
export async function listAccountEvents(
  db: Queryable,
  { accountId, types, subjectType, before }: AccountEventFilter,
  limit: number,
): Promise<AccountEventRows> {
  const { rows } = await db.query<{ position: number; body: string }>(
    `select position, body from sandbox.account_event
     where account_id = $1
       and ($2::text[] is null or type = any ($2))
       and ($3::text is null or subject_type = $3)
       and ($4::bigint is null or position < $4)
     order by position desc limit $5::int + 1`,
    [accountId, types, subjectType, before, limit],
  )
  const page = rows.slice(0, limit)
  return {
    data: page.map(({ body }) => body).join(','),
    lastPosition: page.at(-1)?.position ?? 0,
    hasMore: rows.length > limit,
  }
}

export async function findAccountEvent(
  db: Queryable,
  accountId: string,
  ref: string,
): Promise<string | undefined> {
  const { rows } = await db.query<{ body: string }>(
    'select body from sandbox.account_event where account_id = $1 and ref = $2',
    [accountId, ref],
  )
  return rows[0]?.body
}
