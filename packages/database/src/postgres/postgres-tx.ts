import { markTxSql } from '../driver.ts'
import type { DriverTx, LastStatement, Result } from '../driver.ts'
import { assertCommitted } from '../errors.ts'
import { toParameters } from '../values/parameters.ts'
import type { PreparedStatements } from './prepared-statements.ts'
import { ourTypes, type SqlStatement, type TakenClient } from './postgres-client.ts'
import type { PgResult, PgStatement } from './postgres-connect.ts'
import { beginSql, type SessionState } from './session.ts'

interface BeginOptions {
  client: TakenClient
  session: SessionState
  prepared: PreparedStatements
  /** In milliseconds, for each statement. */
  limits: { queryTimeoutMs: number; statementTimeoutMs: number }
}

/**
 * Begins a transaction, and sends its first statement with that. On a pipelined connection both are
 * one write, and so are the last statement and the commit.
 */
export async function beginTx(
  { client, session, prepared, limits }: BeginOptions,
  first: (tx: DriverTx) => void = () => {},
): Promise<DriverTx> {
  const { queryTimeoutMs, statementTimeoutMs } = limits
  const text = [
    beginSql(session.wrong),
    `set local statement_timeout = ${statementTimeoutMs}`,
    'set local lock_timeout = 0',
    markTxSql,
  ].join('; ')
  const tx: DriverTx = { query, executeSql, commit, rollBack }
  const begun = client.inOneWrite(() => {
    // Cancelling a begin that is still to come would let the first statement run without it.
    const answer = client.run({ text }, queryTimeoutMs, { canCancel: false })
    if (client.isPipelined) first(tx)
    return answer
  })
  await begun.catch((error: unknown) => {
    client.discard(error)
    client.release()
    throw error
  })
  if (!client.isPipelined) first(tx)
  return tx

  function query<Row>(statement: string, values: readonly unknown[]): Promise<Result<Row>> {
    return runStatement(client, { text: statement, values }, queryTimeoutMs)
  }

  function executeSql(statement: string, values?: readonly unknown[]) {
    return client.executeSql({ text: statement, values }, queryTimeoutMs)
  }

  async function commit(last: readonly LastStatement[] = []): Promise<void> {
    try {
      const answers = await sendAll(await toStatements(last))
      const failed = answers.find((answer) => answer.status === 'rejected')
      if (failed) {
        prepared.check(failed.reason)
        throw failed.reason
      }
    } finally {
      client.release()
    }
  }

  async function toStatements(last: readonly LastStatement[]): Promise<PgStatement[]> {
    try {
      return last.map(({ text: lastText, values, isRepeated }) => {
        // A plan that a pooler loses would fail the transaction.
        const name = isRepeated && session.isDirect ? prepared.nameOf(lastText) : undefined
        return extended({ text: lastText, values, name })
      })
    } catch (error) {
      // A value has no SQL type, and nothing was sent that would fail the transaction.
      await end('rollback').catch(client.discard)
      throw error
    }
  }

  /** If a statement fails, the server answers COMMIT with ROLLBACK. */
  async function sendAll(statements: PgStatement[]): Promise<PromiseSettledResult<unknown>[]> {
    const ending = async () => assertCommitted((await end('commit')).command)
    const sends: (() => Promise<unknown>)[] = [
      ...statements.map((statement) => () => client.run(statement, queryTimeoutMs)),
      ending,
    ]
    return await client.inOneWrite(() => {
      let before: Promise<unknown> | undefined
      const answers = sends.map((send) => {
        const answer = client.isPipelined || !before ? send() : before.then(send, send)
        before = answer
        return answer
      })
      return Promise.allSettled(answers)
    })
  }

  async function rollBack(): Promise<void> {
    // On a broken connection it would wait as long as the statement did; destroying it is enough.
    if (!client.isBroken()) await end('rollback').catch(client.discard)
    client.release()
  }

  function end(command: 'commit' | 'rollback'): Promise<PgResult<unknown>> {
    return client.run({ text: command }, queryTimeoutMs)
  }
}

/** Runs one statement. */
export async function runStatement<Row>(
  client: TakenClient,
  statement: SqlStatement,
  timeoutMs: number,
): Promise<Result<Row>> {
  const { rows, rowCount } = await client.run<Row>(extended(statement), timeoutMs)
  return { rows, rowCount: rowCount ?? 0 }
}

/** 'extended' rejects a second statement in one text even without values, as PGlite does. */
function extended({ name, text, values = [] }: SqlStatement) {
  return {
    ...(name !== undefined && { name }),
    text,
    values: toParameters(values),
    types: ourTypes,
    queryMode: 'extended',
  }
}
