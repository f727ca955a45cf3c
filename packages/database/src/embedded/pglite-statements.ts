import { setImmediate } from 'node:timers/promises'
import type { PGlite, QueryOptions, Transaction } from '@electric-sql/pglite'
import type { DriverTx, Result } from '../driver.ts'
import { rolledBackInstead, sqlState } from '../errors.ts'
import { toParameters } from '../values/parameters.ts'
import { executeOnPglite } from './pglite-boss.ts'
import { parserFor } from '../values/value-parsers.ts'

/** Runs a function in a transaction; `assertHeld` throws where it may not be committed any more. */
export async function runTransaction<T>(
  lite: PGlite,
  queryOptions: QueryOptions,
  runTx: (tx: DriverTx) => Promise<T>,
  assertHeld: () => void,
): Promise<T> {
  let isCommitting = false
  try {
    return await lite.transaction(async (tx) => {
      const result = await runTx({
        async query(text, values) {
          await setImmediate()
          return await runStatement(tx, text, values, queryOptions)
        },
        async executeSql(text, values) {
          await setImmediate()
          return await withoutValues(() => executeOnPglite(tx, text, values))
        },
      })
      assertHeld()
      isCommitting = true
      return result
    })
  } catch (error) {
    if (isCommitting && sqlState(error) === '25P02') throw rolledBackInstead(error)
    throw error
  }
}

/** Runs one statement on the engine, or in a transaction of it. */
export async function runStatement<Row>(
  lite: PGlite | Transaction,
  text: string,
  values: readonly unknown[],
  queryOptions: QueryOptions,
): Promise<Result<Row>> {
  const parameters = toParameters(values)
  const { rows, rowCount = 0 } = await withoutValues(() =>
    lite.query<Row>(text, parameters, queryOptions),
  )
  return { rows, rowCount }
}

// PGlite hangs the values on its errors, and a body must not reach a log that way.
async function withoutValues<T>(query: () => Promise<T>): Promise<T> {
  try {
    return await query()
  } catch (error) {
    if (error instanceof Error && 'params' in error) Reflect.deleteProperty(error, 'params')
    throw error
  }
}

/** Replaces all of PGlite's own conversions: parameters are spelled already, rows get our parsers. */
export function sameValuesAsPostgres(lite: PGlite): QueryOptions {
  const parsers = Object.keys(lite.parsers).map((oid) => [oid, parserFor(Number(oid))] as const)
  const asIs = { get: () => (value: string) => value }
  return { parsers: Object.fromEntries(parsers), serializers: new Proxy({}, asIs) }
}

const checkpointAfterBytes = 32 * 1_048_576

/**
 * Makes a checkpoint once the log (WAL) has grown. PGlite has no background process for it, so the log
 * of a process that runs for long would grow until the disk is full.
 */
export async function checkpointIfDue(lite: Pick<PGlite, 'query' | 'exec'>): Promise<void> {
  const { rows } = await lite.query<{ grown: number }>(
    'select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn)::float8 as grown from pg_control_checkpoint()',
  )
  if ((rows[0]?.grown ?? 0) >= checkpointAfterBytes) await lite.exec('checkpoint')
}
