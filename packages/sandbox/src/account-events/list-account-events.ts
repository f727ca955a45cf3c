import type { Queryable } from '@feed-receiver/database'

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

/** The event as JSON, if it is this account's. */
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
