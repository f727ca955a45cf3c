import { createGroupCommit, type Queryable } from '@feed-receiver/database'
import type { Page } from './fields.ts'

/** One answered request, as the journal shows it. */
export interface RequestRecord {
  method: string
  /** Without the query, which may hold a cursor or a key sent by mistake. */
  path: string
  status: number
  /** Why it was refused; a key of the table of refusals. */
  reason: string | null
  detail: string | null
  accountId: string | null
  keyDisplay: string | null
  charged: boolean
}

/** How many requests are kept, and how many may wait to be. */
const limits = { kept: 10_000, waiting: 5_000 }

/**
 * Keeps requests behind their answers, many in one statement. A journal is for looking at, so where
 * the database cannot keep up the newest are dropped rather than the requests slowed.
 */
export function createRequestJournal(database: Queryable, onError: (error: unknown) => void) {
  let waiting = 0
  let last: Promise<void> = Promise.resolve()
  const group = createGroupCommit<RequestRecord, void>(async (records) => {
    waiting -= records.length
    await insertRecords(database, records).catch(onError)
    return records.map(() => undefined)
  })
  return {
    add(record: RequestRecord): void {
      if (waiting >= limits.waiting) return
      waiting += 1
      last = group.add(record)
    },
    /** Waits until what was added before is kept. */
    settle: () => last,
  }
}

export interface KeptRequest extends RequestRecord {
  id: number
  /** By the sandbox's clock. */
  at: Date
}

/** The newest first; `before` is the id of an earlier page's last one. */
export async function listRequests(db: Queryable, { before, limit = 100 }: Page = {}) {
  const { rows } = await db.query<KeptRequest>(
    `select id, at, method, path, status, reason, detail, account_id as "accountId",
       key_display as "keyDisplay", charged
     from sandbox.request_log
     where $1::bigint is null or id < $1
     order by id desc limit $2`,
    [before, limit],
  )
  return rows
}

async function insertRecords(db: Queryable, records: readonly RequestRecord[]): Promise<void> {
  await db.query(
    `with kept as (
       insert into sandbox.request_log
         (at, method, path, status, reason, detail, account_id, key_display, charged)
       select sandbox.clock_time(), method, path, status, reason, detail, "accountId", "keyDisplay", charged
       from jsonb_to_recordset($1) as record (
         method text, path text, status integer, reason text, detail text,
         "accountId" text, "keyDisplay" text, charged boolean
       )
       returning id
     )
     delete from sandbox.request_log where id <= (select max(id) from kept) - $2::bigint`,
    [JSON.stringify(records), limits.kept],
  )
}
