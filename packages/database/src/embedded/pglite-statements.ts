import type { PGlite } from '@electric-sql/pglite'
import type { Result } from '../driver.ts'
import { toParameters } from '../values/parameters.ts'
import { parserFor } from '../values/value-parsers.ts'
import { mebibyte } from './disk-space.ts'

/**
 * Makes the function that runs one statement on an engine, inside its transaction if there is one.
 * Replaces all of PGlite's own conversions: parameters are spelled already, rows get our parsers.
 */
export function statementsOn(lite: PGlite) {
  const parsers = Object.keys(lite.parsers).map((oid) => [oid, parserFor(Number(oid))] as const)
  const asIs = { get: () => (value: string) => value }
  const options = { parsers: Object.fromEntries(parsers), serializers: new Proxy({}, asIs) }

  return async <Row>(text: string, values: readonly unknown[]): Promise<Result<Row>> => {
    const answer = lite.query<Row>(text, toParameters(values), options)
    const { rows, rowCount = 0 } = await withoutValues(answer)
    return { rows, rowCount }
  }
}

/** PGlite hangs the values on its errors, and a body must not reach a log that way. */
export async function withoutValues<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof Error && 'params' in error) Reflect.deleteProperty(error, 'params')
    throw error
  }
}

const checkpointAfterBytes = 32 * mebibyte

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
