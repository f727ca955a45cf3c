import type { FeedEvent } from '@feed-receiver/core'
import { InboxError, type SqlExecutor } from '@feed-receiver/inbox'
import { isInFailedTx } from '@feed-receiver/inbox/internal'
import { OperateError } from '../errors.ts'

/** How many rows of one table a transaction has changed. */
export interface RowCounts {
  inserted: number
  updated: number
  deleted: number
}

/** Runs statements one after the other in the transaction, and returns the rows of all. */
export type RunStatements = (statements: readonly string[]) => Promise<unknown[]>

/** The guard of one transaction that must not be committed. */
export interface Guard {
  /**
   * Tries out a commit: checks deferred constraints, and returns the changes by table. Errors:
   * `rehearsal_left`, `caught_failure`, and those of the constraints.
   */
  finish(event: Pick<FeedEvent, 'type' | 'id'>): Promise<Map<string, RowCounts>>
  /** Whether it is still the same transaction, as far as a failed one can tell. */
  isHeld(): Promise<boolean>
}

const cursor = 'feed_receiver_rehearsal'

// PostgreSQL runs a cursor `with hold` at the commit, where this one fails, so no handler can
// commit. It needs no rights and leaves nothing behind. A constant expression would fail at once.
const declareSql = `declare ${cursor} no scroll cursor with hold for select
  ('this transaction is a rehearsal, and is never committed' || left(random()::text, 0))::integer`

// The user tables with changes. Not from the view, which reads much more. As text, because each
// driver parses other values differently.
const stateSql = `select json_build_object(
    'isHeld', exists (select from pg_cursors where name = '${cursor}'),
    'tables', (
      select coalesce(
        json_object_agg(
          relnamespace::regnamespace::text || '.' || relname, json_build_array(i, u, d)
        ),
        '{}'
      ) from (
        select relname, relnamespace, pg_stat_get_xact_tuples_inserted(oid) as i,
          pg_stat_get_xact_tuples_updated(oid) as u, pg_stat_get_xact_tuples_deleted(oid) as d
        from pg_class where relkind = 'r' and oid >= 16384
      ) counted where i + u + d > 0
    )
  )::text as state`

/** Makes it impossible to commit a transaction. */
export async function openGuard(run: RunStatements): Promise<Guard> {
  // The statistics may still contain changes of earlier transactions of this connection.
  const before = readState(await run([declareSql, stateSql]))

  return {
    async finish({ type, id }) {
      const after = await run(['set constraints all immediate', stateSql]).catch(
        (error: unknown) => {
          throw isInFailedTx(error) ? caughtFailure(error) : error
        },
      )
      const { isHeld, tables } = readState(after)
      if (!isHeld) throw rehearsalLeft(type, id)
      return changesBetween(before.tables, tables)
    },
    async isHeld() {
      return await run([stateSql]).then(
        (rows) => readState(rows).isHeld,
        // Either the transaction failed, and is still open, or the connection is lost.
        () => true,
      )
    },
  }
}

function caughtFailure(cause: unknown): InboxError {
  const message =
    'A statement through tx failed and the handler caught its error, so the transaction cannot commit any more. Let the error leave the handler, or use a savepoint around the statement.'
  return new InboxError('caught_failure', message, { cause })
}

/** The error of a handler that has ended its transaction itself. */
export function rehearsalLeft(type: string, id: string): OperateError {
  const message = `The handler of ${type} ended the transaction of event ${id} itself, so its later writes may be committed, and the rehearsal stopped. Check what it writes for this event, and remove commit and rollback from it.`
  return new OperateError('rehearsal_left', message)
}

/** Runs statements through an executor that takes one at a time. */
export function oneByOne(sql: SqlExecutor): RunStatements {
  return async (statements) => {
    const found: unknown[] = []
    for (const statement of statements) found.push(...(await sql.executeSql(statement, [])).rows)
    return found
  }
}

interface State {
  isHeld: boolean
  /** Inserted, updated and deleted rows. */
  tables: Record<string, [number, number, number]>
}

function readState(rows: readonly unknown[]): State {
  const row = rows.at(-1)
  const text = typeof row === 'object' && row !== null && 'state' in row ? row.state : undefined
  // Our own statement wrote this JSON, as text because some drivers parse JSON.
  return typeof text === 'string' ? JSON.parse(text) : { isHeld: false, tables: {} }
}

function changesBetween(before: State['tables'], after: State['tables']): Map<string, RowCounts> {
  const known = new Map(Object.entries(before))
  const changes = Object.entries(after).map(([table, counts]): [string, RowCounts] => {
    const since = known.get(table) ?? [0, 0, 0]
    const [inserted, updated, deleted] = [0, 1, 2].map((at) => (counts[at] ?? 0) - (since[at] ?? 0))
    return [table, { inserted: inserted ?? 0, updated: updated ?? 0, deleted: deleted ?? 0 }]
  })
  return new Map(changes.filter(([, counts]) => Object.values(counts).some((count) => count > 0)))
}
