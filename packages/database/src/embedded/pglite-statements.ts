import { isError } from '../recognize.ts'
import type { PGlite } from '@electric-sql/pglite'
import type { Result } from '../driver.ts'
import type { SentResult } from '../shared/messages.ts'
import { toParameters, type Parameter } from '../values/parameters.ts'
import { parserFor } from '../values/value-parsers.ts'
import { mebibyte } from './disk-space.ts'

/**
 * Creates the function that runs one statement on an engine, in its transaction if there is one.
 * Bypasses all of PGlite's conversions: it gets parameters as text or bytes, and our parsers read
 * the rows.
 */
export function statementsOn(lite: PGlite) {
  const parsers = Object.keys(lite.parsers).map((oid) => [oid, parserFor(Number(oid))] as const)
  const options = { parsers: Object.fromEntries(parsers), serializers: unchanged }

  return async <Row>(text: string, values: readonly unknown[]): Promise<Result<Row>> => {
    const answer = lite.query<Row>(text, toParameters(values), options)
    const { rows, rowCount = 0 } = await withoutValues(answer)
    return { rows, rowCount }
  }
}

/**
 * Runs one statement for another process, or several if there are no values. Parameters are text or
 * bytes, and rows are texts as the server prints them.
 */
export async function runRaw(
  lite: PGlite,
  text: string,
  values: Parameter[] | undefined,
): Promise<SentResult[]> {
  const parsers = Object.fromEntries(Object.keys(lite.parsers).map((oid) => [oid, asIs]))
  const options = { rowMode: 'array' as const, parsers, serializers: unchanged }
  const answer = values
    ? lite.query<(string | null)[]>(text, values, options).then((result) => [result])
    : lite.exec(text, options)
  const results = await withoutValues(answer)
  return results.map(({ fields, rows, rowCount = 0 }) => ({
    fields: fields.map(({ name, dataTypeID }) => [name, dataTypeID]),
    // Arrays of unparsed texts, although the types of PGlite say otherwise.
    rows: rows.map((row) => Object.values(row)),
    rowCount,
  }))
}

const asIs = (value: string) => value
const unchanged = new Proxy({}, { get: () => asIs })

/** Removes the values that PGlite adds to its errors, so that no body reaches a log. */
export async function withoutValues<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (isError(error) && 'params' in error) Reflect.deleteProperty(error, 'params')
    throw error
  }
}

/** `query` accepts one statement; texts of pg-boss without values may hold several. */
export async function executeOnPglite(
  lite: PGlite,
  text: string,
  values: readonly unknown[] = [],
): Promise<{ rows: unknown[] }> {
  if (values.length > 0) return await lite.query(text, [...values])
  const results = await lite.exec(text)
  return { rows: results.flatMap(({ rows }) => rows) }
}

const checkpointAfterBytes = 32 * mebibyte

/**
 * Makes a checkpoint once the log (WAL) has grown. PGlite has no background process for it, so the
 * log of a long-running process would grow until the disk is full.
 */
export async function checkpointIfDue(lite: Pick<PGlite, 'query' | 'exec'>): Promise<void> {
  const { rows } = await lite.query<{ grown: number }>(
    'select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn)::float8 as grown from pg_control_checkpoint()',
  )
  if ((rows[0]?.grown ?? 0) >= checkpointAfterBytes) await lite.exec('checkpoint')
}
