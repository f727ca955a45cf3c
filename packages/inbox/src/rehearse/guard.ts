import { codeOf, problem } from '../errors.ts'
import type { SqlExecutor } from '../queue/queue.ts'

/** How many rows of one table a transaction has changed. */
export interface RowCounts {
  inserted: number
  updated: number
  deleted: number
}

/** Runs statements one after the other in the transaction, and gives the rows of all. */
export type RunStatements = (statements: readonly string[]) => Promise<unknown[]>

/** What looks after one transaction that must not be committed. */
export type Guard = Awaited<ReturnType<typeof openGuard>>

const cursor = 'feed_receiver_rehearsal'

// PostgreSQL runs a cursor `with hold` when its transaction commits, and this one fails by then: so
// nobody can commit, whatever the handler sends. It needs no rights and leaves nothing behind. Not a
// constant, which would fail at once.
const declareSql = `declare ${cursor} no scroll cursor with hold for select
  ('this transaction is a rehearsal, and is never committed' || left(random()::text, 0))::integer`

// Of all tables of users, those with changes. Not the view, which looks at much more. As text, because
// each driver has values of its own.
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

/** Makes a transaction one that cannot be committed. */
export async function openGuard(run: RunStatements) {
  // The statistics may still have what earlier transactions of this connection did.
  const before = readState(await run([declareSql, stateSql]))

  return {
    /**
     * What a commit would do: checks deferred constraints, and gives the changes by table. Errors:
     * `rehearsal_left`, `caught_failure`, and those of the constraints.
     */
    async finish({ type, id }: { type: string; id: string }): Promise<Map<string, RowCounts>> {
      const after = await run(['set constraints all immediate', stateSql]).catch(
        (error: unknown) => {
          throw isAborted(error) ? problem('caught_failure', {}, { cause: error }) : error
        },
      )
      const { isHeld, tables } = readState(after)
      if (!isHeld) throw problem('rehearsal_left', { type, id })
      return changesBetween(before.tables, tables)
    },
    /** Whether it still is the same transaction, as far as that can be told of one that failed. */
    async isHeld(): Promise<boolean> {
      return await run([stateSql]).then(
        (rows) => readState(rows).isHeld,
        // A failed statement, and then the transaction is still there; or a lost connection.
        () => true,
      )
    },
  }
}

/** Runs statements through an executor that takes one at a time. */
export function oneByOne(sql: SqlExecutor): RunStatements {
  return async (statements) => {
    const found: unknown[] = []
    for (const statement of statements) found.push(...(await sql.executeSql(statement, [])).rows)
    return found
  }
}

/** Refuses a statement that would end the transaction. Errors: `transaction_control`. */
export function refuseControl(text: string): void {
  const [, statement] = controls.exec(text) ?? []
  if (statement !== undefined) {
    throw problem('transaction_control', { statement: statement.toUpperCase() })
  }
}

const controls =
  /^(?:\s|--.*\n|\/\*[^]*?\*\/)*(commit|end|abort|begin|rollback(?!\s+(?:(?:work|transaction)\s+)?to\b)|start\s+transaction|prepare\s+transaction)\b/i

interface State {
  isHeld: boolean
  /** Inserted, updated and deleted rows. */
  tables: Record<string, [number, number, number]>
}

function readState(rows: readonly unknown[]): State {
  const row = rows.at(-1)
  const text = typeof row === 'object' && row !== null && 'state' in row ? row.state : undefined
  // Some drivers parse what they get; the statement above is ours.
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

/** Whether a statement was refused because an earlier one of its transaction failed. */
function isAborted(error: unknown): boolean {
  if (codeOf(error) === '25P02') return true
  // Drizzle puts its own error around that of the driver.
  return error instanceof Error && error.cause !== undefined && isAborted(error.cause)
}
