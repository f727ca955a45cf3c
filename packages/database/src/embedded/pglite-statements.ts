import { isError } from '../recognize.ts'
import type { PGlite, parse, protocol } from '@electric-sql/pglite'
import type { QueryOptions, Result } from '../driver.ts'
import type { SentResult } from '../shared/messages.ts'
import { toParameters, type Parameter } from '../values/parameters.ts'
import { parserFor } from '../values/value-parsers.ts'
import { mebibyte } from './disk-space.ts'

/** The protocol of PostgreSQL, as PGlite has it. */
export interface Protocol {
  parse: typeof parse
  protocol: typeof protocol
}

/** Runs one statement on an engine, in its transaction if there is one. */
export interface Statements {
  run<Row>(
    text: string,
    values: readonly unknown[],
    options?: Pick<QueryOptions, 'isRepeated'>,
  ): Promise<Result<Row>>
  /** After the session has lost its plans. */
  forgetPrepared(): void
}

/**
 * Creates the functions that run statements. They bypass the conversions of PGlite: it gets
 * parameters as text or bytes, and our parsers read the rows. And they send one message, where its
 * `query` sends six, and one more to learn the types of the parameters.
 */
export function createStatements(lite: PGlite, { parse, protocol }: Protocol): Statements {
  const { serialize } = protocol
  const parsers = Object.fromEntries(
    Object.keys(lite.parsers).map((oid) => [oid, parserFor(Number(oid))]),
  )
  const names = new Map<string, string>()
  /** The texts whose plans the session has. */
  const prepared = new Set<string>()

  return {
    async run<Row>(
      text: string,
      values: readonly unknown[],
      { isRepeated = false }: Pick<QueryOptions, 'isRepeated'> = {},
    ): Promise<Result<Row>> {
      const name = isRepeated ? nameOf(text) : ''
      // A failure may have left a plan of that name.
      const planning = [serialize.close({ type: 'S', name }), serialize.parse({ name, text })]
      const message = Buffer.concat([
        ...(isRepeated && prepared.has(text) ? [] : planning),
        serialize.bind({ statement: name, values: toParameters(values) }),
        serialize.describe({ type: 'P' }),
        serialize.execute(),
        serialize.sync(),
      ])
      if (isRepeated) prepared.delete(text)
      const messages = await lite.runExclusive(() => lite.execProtocolStream(message))
      if (isRepeated) prepared.add(text)
      const [result] = parse.parseResults(messages, parsers)
      // The caller knows the columns of its statement.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return { rows: (result?.rows ?? []) as Row[], rowCount: result?.rowCount ?? 0 }
    },
    forgetPrepared: () => prepared.clear(),
  }

  function nameOf(text: string): string {
    const name = names.get(text) ?? `feed_${names.size}`
    names.set(text, name)
    return name
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
