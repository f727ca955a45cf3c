import type { ExecProtocolResult, PGlite, Results } from '@electric-sql/pglite'
import { markTxSql, type DriverTx, type QueryOptions, type Result } from '../driver.ts'
import { assertCommitted } from '../errors.ts'
import { isError } from '@feed-receiver/core/internal'
import { toParameters } from '../values/parameters.ts'
import { parserFor, type ValueParser } from '../values/value-parsers.ts'
import { mebibyte } from './disk-space.ts'
import type { Engine, Session } from './engine.ts'

/**
 * Runs one statement. It bypasses the conversions of PGlite, which gets parameters as text or bytes,
 * and whose rows our parsers read. And it sends one message, where the `query` of PGlite sends six,
 * and one more to learn the types of the parameters.
 */
export async function runStatement<Row>(
  session: Session,
  text: string,
  values: readonly unknown[],
  { isRepeated = false, isUrgent = false }: QueryOptions = {},
): Promise<Result<Row>> {
  const { serialize } = session.pglite.protocol
  const prepared = isRepeated ? session.prepared : undefined
  const name = prepared ? nameOf(text) : ''
  // A failure may have left a plan of that name.
  const planning = [serialize.close({ type: 'S', name }), serialize.parse({ name, text })]
  const execution = [
    serialize.bind({ statement: name, values: toParameters(values) }),
    serialize.describe({ type: 'P' }),
    serialize.execute(),
    serialize.sync(),
  ]
  const make = () => {
    // If it fails, it is planned again the next time.
    const isPlanned = prepared?.delete(text) ?? false
    return Buffer.concat(isPlanned ? execution : [...planning, ...execution])
  }
  const answer = await session.send(make, isUrgent ? 'urgent' : 'own')
  const [result] = readResults(session, answer)
  prepared?.add(text)
  // The caller knows the columns of its statement.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { rows: (result?.rows ?? []) as Row[], rowCount: result?.rowCount ?? 0 }
}

const names = new Map<string, string>()

function nameOf(text: string): string {
  const name = names.get(text) ?? `feed_${names.size}`
  names.set(text, name)
  return name
}

/** Runs one statement with values; without values the text may hold several. */
export async function executeSql(
  session: Session,
  text: string,
  values: readonly unknown[] = [],
  { isRepeated = false }: QueryOptions = {},
): Promise<{ rows: unknown[] }> {
  if (isRepeated || values.length > 0)
    return await runStatement(session, text, values, { isRepeated })
  const answer = await session.send(() => session.pglite.protocol.serialize.query(text))
  return { rows: readResults(session, answer).flatMap(({ rows }) => rows) }
}

/** Begins a transaction in a turn of its own. */
export async function beginTx(engine: Engine): Promise<DriverTx> {
  const turn = await engine.takeTurn()
  const rollBack = async () => void (await turn.passOn().catch(() => undefined))
  const orRollBack = async (error: unknown) => {
    await rollBack()
    throw error
  }
  await executeSql(turn, `begin; ${markTxSql}`).catch(orRollBack)
  return {
    query: (text, values) => runStatement(turn, text, values),
    executeSql: (text, values) => executeSql(turn, text, values),
    async commit(last = []) {
      for (const { text, values, ...options } of last)
        await runStatement(turn, text, values, options).catch(orRollBack)
      const answer = await turn.passOn(turn.pglite.protocol.serialize.query('commit'))
      assertCommitted(answer && readResults(turn, answer)[0]?.command)
    },
    rollBack,
  }
}

function readResults({ pglite }: Session, { messages }: ExecProtocolResult): Results[] {
  const failure = messages.find(isError)
  if (failure) throw failure
  return pglite.parse.parseResults(messages, parsers)
}

const parsers = new Proxy<Record<string, ValueParser>>(
  {},
  { get: (_, oid) => parserFor(Number(oid)) },
)

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
