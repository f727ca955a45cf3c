import { markTxSql } from '../driver.ts'
import type {
  BossDb,
  DatabaseOptions,
  Driver,
  DriverTx,
  LastStatement,
  QueryOptions,
  Result,
} from '../driver.ts'
import { assertCommitted } from '../errors.ts'
import { toParameters } from '../values/parameters.ts'
import { createKeptPlans, type KeptPlans } from './kept-plans.ts'
import { postgresBossDb } from './postgres-boss.ts'
import { ourTypes, takeClient, type TakenClient } from './postgres-client.ts'
import type { PgPool, PgResult, PgStatement } from './postgres-connect.ts'
import { openPools } from './postgres-pools.ts'
import { beginSql, readSession, type Session } from './session.ts'

type OtherOptions = 'lockWaitMs' | 'isShared' | 'isGuest' | 'migrationTimeoutMs' | 'listenUrl'
interface PostgresOptions extends Required<Omit<DatabaseOptions, OtherOptions>> {
  /** The target of the listening connection. */
  listenTarget: string | PgPool
}

/** PostgreSQL through a `pg.Pool`: made from a URL, or the app's own. */
export function postgresDriver(target: string | PgPool, options: PostgresOptions): Driver {
  const { connectionTimeoutMs, queryTimeoutMs, applicationName } = options
  const pools = openPools(target, options)
  const doubts = { since: 0 }
  const bossDbs: BossDb[] = []
  const plans = createKeptPlans()

  return {
    kind: 'postgres',
    maxConnections: typeof target === 'string' ? options.maxConnections : sizeOf(target),
    async open() {
      await pools.use((pool) => withClient(pool, (client) => readSession(client, queryTimeoutMs)))
    },
    reserve: () => pools.reserve(take),
    query: <Row>(text: string, values: readonly unknown[], how: QueryOptions = {}) =>
      (how.isUrgent === true ? pools.useReserved : pools.use)((pool) =>
        withClient(pool, async (client) => {
          const session = await readSession(client, queryTimeoutMs)
          if (session.wrong.length > 0) return await runInTx<Row>(client, session, text, values)
          const run = (name?: string) =>
            runOn<Row>(client, { text, values, name, query_timeout: queryTimeoutMs })
          return await (how.isRepeated === true ? plans.run(text, run) : run())
        }),
      ),
    async begin(first, timeoutMs = queryTimeoutMs) {
      const client = await pools.use(take)
      const session = await readSession(client, queryTimeoutMs).catch((error: unknown) => {
        client.release()
        throw error
      })
      return await begin({ client, session, plans, timeoutMs }, first)
    },
    bossOptions() {
      const { maxBossConnections, listenTarget, maintenanceTimeoutMs } = options
      const name = `${applicationName}-boss`
      const ofBoss = {
        work: () => pools.make(maxBossConnections, name, { min: 1 }),
        listen: () => pools.make(maxBossConnections + 1, name, { to: listenTarget }),
      }
      const db = postgresBossDb(ofBoss, { takeFrom: take, plans, maintenanceTimeoutMs })
      bossDbs.push(db)
      return { db }
    },
    async close() {
      await Promise.all([pools.close(), ...bossDbs.map((db) => db.close())])
    },
  }

  async function withClient<T>(pool: PgPool, use: (client: TakenClient) => Promise<T>): Promise<T> {
    const client = await take(pool)
    try {
      return await use(client)
    } finally {
      client.release()
    }
  }

  function take(pool: PgPool): Promise<TakenClient> {
    return takeClient(pool, connectionTimeoutMs, doubts)
  }

  /** Takes two more round trips, so only for a connection whose settings are not fine. */
  async function runInTx<Row>(
    client: TakenClient,
    session: Session,
    text: string,
    values: readonly unknown[],
  ): Promise<Result<Row>> {
    const tx = await begin({ client, session, plans, timeoutMs: queryTimeoutMs })
    const result = await tx.query<Row>(text, values).catch(async (error: unknown) => {
      await tx.rollBack()
      throw error
    })
    await tx.commit()
    return result
  }
}

function sizeOf({ options }: PgPool): number {
  return 'max' in options ? Number(options.max) : 10
}

interface Beginning {
  client: TakenClient
  session: Session
  plans: KeptPlans
  /** For each statement. */
  timeoutMs: number
}

/**
 * Begins a transaction, and sends its first statement with that. On a pipelined connection both are
 * one write, and so are the last statement and the commit.
 */
async function begin(
  { client, session, plans, timeoutMs: query_timeout }: Beginning,
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
    const answer = client.run({ text, query_timeout })
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
      const name = isRepeated && session.isDirect ? plans.nameOf(lastText) : undefined
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
    if (ran.status === 'rejected') throw ran.reason
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

async function runOn<Row>(client: TakenClient, statement: Statement): Promise<Result<Row>> {
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
