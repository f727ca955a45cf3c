import { createGroupCommit } from '@feed-receiver/database/internal'
import { type Queryable } from '@feed-receiver/database'
import type { Page } from './fields.ts'

/** One answered request, as the journal shows it. */
export interface RequestRecord {
  method: string
  /** Without the query, which may contain a cursor or a key sent by mistake. */
  path: string
  status: number
  /** Why it was rejected; a key of the table of rejections. */
  reason: string | null
  detail: string | null
  accountId: string | null
  keyDisplay: string | null
  charged: boolean
}

/** The maximum number of stored requests, and of requests that wait to be stored. */
const limits = { stored: 10_000, waiting: 5_000 }

export interface RequestJournal {
  add(record: RequestRecord): void
  /** Waits until all requests added before are stored. */
  flush(): Promise<void>
}

/**
 * Stores requests after their responses, many in one statement. If the database cannot keep up, the
 * journal drops the newest, because it must not slow requests down.
 */
export function createRequestJournal(
  database: Queryable,
  onError: (error: unknown) => void,
): RequestJournal {
  let waiting = 0
  let last: Promise<void> = Promise.resolve()
  const group = createGroupCommit<RequestRecord, void>(async (records) => {
    waiting -= records.length
    await insertRecords(database, records).catch(onError)
    return records.map(() => undefined)
  })
  return {
    add(record) {
      if (waiting >= limits.waiting) return
      waiting += 1
      last = group.add(record)
    },
    flush: () => last,
  }
}

export interface StoredRequest extends RequestRecord {
  id: number
  /** By the sandbox's clock. */
  at: Date
}

/** Lists the newest first. `before` is the id of the last request on the previous page. */
export async function listRequests(db: Queryable, { before, limit = 100 }: Page = {}) {
  const { rows } = await db.query<StoredRequest>(
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
    `with inserted as (
       insert into sandbox.request_log
         (at, method, path, status, reason, detail, account_id, key_display, charged)
       select sandbox.clock_time(), method, path, status, reason, detail, "accountId", "keyDisplay", charged
       from jsonb_to_recordset($1) as record (
         method text, path text, status integer, reason text, detail text,
         "accountId" text, "keyDisplay" text, charged boolean
       )
       returning id
     )
     delete from sandbox.request_log where id <= (select max(id) from inserted) - $2::bigint`,
    [JSON.stringify(records), limits.stored],
  )
}
