import { markTxSql } from '../driver.ts'
import type { DriverTx, LastStatement, Result } from '../driver.ts'
import { assertCommitted } from '../errors.ts'
import { toParameters } from '../values/parameters.ts'
import type { PreparedStatements } from './prepared-statements.ts'
import { ourTypes, type TakenClient } from './postgres-client.ts'
import type { PgResult, PgStatement } from './postgres-connect.ts'
import { beginSql, type Session } from './session.ts'

export interface Beginning {
  client: TakenClient
  session: Session
  prepared: PreparedStatements
  /** For each statement. */
  timeoutMs: number
}

/**
 * Begins a transaction, and sends its first statement with that. On a pipelined connection both are
 * one write, and so are the last statement and the commit.
 */
export async function beginTx(
  { client, session, prepared, timeoutMs: query_timeout }: Beginning,
  first: (tx: DriverTx) => void = () => {},
): Promise<DriverTx> {
  const text = [
    beginSql(session.wrong),
    // The server times out a little earlier than this process, so that waiting for a lock ends with
    // an error and a usable connection. Only a server that cannot answer costs the connection.
    `set local statement_timeout = ${Math.ceil(query_timeout * 0.9)}`,
    'set local lock_timeout = 0',
    markTxSql,
  ].join('; ')
  const tx: DriverTx = { query, executeSql, commit, rollBack }
  const begun = client.inOneWrite(() => {
    // Cancelling a begin that is still to come would let the first statement run without it.
    const answer = client.run({ text, query_timeout }, { isCancelled: false })
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
    return runOn(client, { text: statement, values, query_timeout })
  }

  function executeSql(statement: string, values?: readonly unknown[]) {
    return client.executeSql({ text: statement, values }, query_timeout)
  }

  async function commit(last?: LastStatement): Promise<void> {
    try {
      const { command } = await (last ? commitAfter(last) : end('commit'))
      assertCommitted(command)
    } finally {
      client.release()
    }
  }

  /** If the last statement fails, the server answers COMMIT with ROLLBACK. */
  async function commitAfter({ text: lastText, values, isRepeated }: LastStatement) {
    let statement: PgStatement
    try {
      // A plan that a pooler loses would fail the transaction.
      const name = isRepeated && session.isDirect ? prepared.nameOf(lastText) : undefined
      statement = extended({ text: lastText, values, name, query_timeout })
    } catch (error) {
      // A value has no SQL type, and nothing was sent that would fail the transaction.
      await end('rollback').catch(client.discard)
      throw error
    }
    const [ran, ended] = await client.inOneWrite(() => {
      const running = client.run(statement)
      const commits = () => end('commit')
      return Promise.allSettled([
        running,
        client.isPipelined ? commits() : running.then(commits, commits),
      ])
    })
    if (ran.status === 'rejected') {
      prepared.check(ran.reason)
      throw ran.reason
    }
    if (ended.status === 'rejected') throw ended.reason
    return ended.value
  }

  async function rollBack(): Promise<void> {
    // On a broken connection it would wait as long as the statement did; destroying it is enough.
    if (!client.isBroken()) await end('rollback').catch(client.discard)
    client.release()
  }

  function end(command: 'commit' | 'rollback'): Promise<PgResult<unknown>> {
    return client.run({ text: command, query_timeout })
  }
}

interface Statement {
  text: string
  values: readonly unknown[]
  /** Under which the connection keeps its plan. */
  name?: string | undefined
  query_timeout: number
}

/** Runs one statement. */
export async function runOn<Row>(client: TakenClient, statement: Statement): Promise<Result<Row>> {
  const { rows, rowCount } = await client.run<Row>(extended(statement))
  return { rows, rowCount: rowCount ?? 0 }
}

/** 'extended' rejects a second statement in one text even without values, as PGlite does. */
function extended({ name, text, values, query_timeout }: Statement) {
  return {
    ...(name !== undefined && { name }),
    text,
    values: toParameters(values),
    query_timeout,
    types: ourTypes,
    queryMode: 'extended',
  }
}
