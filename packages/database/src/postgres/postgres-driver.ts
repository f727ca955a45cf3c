import type {
  BossDb,
  DatabaseOptions,
  Driver,
  QueryOptions,
  Result,
  StatementLimits,
} from '../driver.ts'
import { createPreparedStatements } from './prepared-statements.ts'
import { postgresBossDb } from './postgres-boss.ts'
import { takeClient, type TakenClient } from './postgres-client.ts'
import type { ConnectionSource, PgPool } from './postgres-connect.ts'
import { openPools } from './postgres-pools.ts'
import { beginTx, runStatement } from './postgres-tx.ts'
import { readSession, type SessionState } from './session.ts'

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
  const prepared = createPreparedStatements()

  return {
    kind: 'postgres',
    maxConnections: typeof target === 'string' ? options.maxConnections : sizeOf(target),
    async open() {
      await pools.use((source) =>
        withClient(source, (client) => readSession(client, queryTimeoutMs)),
      )
    },
    reserve: () => pools.reserve(take),
    query: <Row>(text: string, values: readonly unknown[], how: QueryOptions = {}) =>
      (how.isUrgent === true ? pools.useReserved : pools.use)((source) =>
        withClient(source, async (client) => {
          const session = await readSession(client, queryTimeoutMs)
          if (session.wrong.length > 0) return await runInTx<Row>(client, session, text, values)
          const run = (name?: string) =>
            runStatement<Row>(client, { text, values, name }, queryTimeoutMs)
          return await (how.isRepeated === true ? prepared.run(text, run) : run())
        }),
      ),
    async begin(first, limits) {
      const client = await pools.use(take)
      const session = await readSession(client, queryTimeoutMs).catch((error: unknown) => {
        client.release()
        throw error
      })
      return await beginTx({ client, session, prepared, limits: withDefaults(limits) }, first)
    },
    bossOptions() {
      const { maxBossConnections, listenTarget, maintenanceTimeoutMs } = options
      const name = `${applicationName}-boss`
      const ofBoss = {
        work: () => pools.make(maxBossConnections, name, { min: 1 }),
        listen: () => pools.make(maxBossConnections + 1, name, { to: listenTarget }),
      }
      const db = postgresBossDb(ofBoss, { takeFrom: take, prepared, maintenanceTimeoutMs })
      bossDbs.push(db)
      return { db }
    },
    async close() {
      await Promise.all([pools.close(), ...bossDbs.map((db) => db.close())])
    },
  }

  async function withClient<T>(
    source: ConnectionSource,
    use: (client: TakenClient) => Promise<T>,
  ): Promise<T> {
    const client = await take(source)
    try {
      return await use(client)
    } finally {
      client.release()
    }
  }

  function take(source: ConnectionSource): Promise<TakenClient> {
    return takeClient(source, connectionTimeoutMs, doubts)
  }

  function withDefaults({
    queryTimeoutMs: answerMs = queryTimeoutMs,
    // A little earlier than this process, so that waiting for a lock ends with an error and a usable
    // connection. Only a server that cannot answer costs the connection.
    statementTimeoutMs = Math.ceil(answerMs * 0.9),
  }: StatementLimits = {}) {
    return { queryTimeoutMs: answerMs, statementTimeoutMs }
  }

  /** Takes two more round trips, so only for a connection whose settings are not fine. */
  async function runInTx<Row>(
    client: TakenClient,
    session: SessionState,
    text: string,
    values: readonly unknown[],
  ): Promise<Result<Row>> {
    const tx = await beginTx({ client, session, prepared, limits: withDefaults() })
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
