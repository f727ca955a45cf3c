import { hash } from 'node:crypto'
import { markTxSql } from '../driver.ts'
import type { BossDb, DatabaseOptions, Driver, Result } from '../driver.ts'
import { assertCommitted, sqlState } from '../errors.ts'
import { toParameters } from '../values/parameters.ts'
import { postgresBossDb } from './postgres-boss.ts'
import { ourTypes, takeClient, type TakenClient } from './postgres-client.ts'
import type { PgPool } from './postgres-connect.ts'
import { openPools } from './postgres-pools.ts'
import { beginSql, findWrongSettings } from './session.ts'
import type { SessionSetting } from './session-settings.ts'

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
  let doPlansLast = true

  return {
    kind: 'postgres',
    maxConnections: typeof target === 'string' ? options.maxConnections : sizeOf(target),
    async open() {
      await pools.use((pool) =>
        withClient(pool, (client) => findWrongSettings(client, queryTimeoutMs)),
      )
    },
    reserve: () => pools.reserve(take),
    query: (text, values, { isRepeated = false, isUrgent = false } = {}) =>
      (isUrgent ? pools.useReserved : pools.use)((pool) =>
        withClient(pool, async (client) => {
          const wrong = await findWrongSettings(client, queryTimeoutMs)
          if (wrong.length > 0) return await runInTx(client, wrong, text, values)
          if (isRepeated && doPlansLast) return await runKept(client, text, values)
          return await runOn(client, queryTimeoutMs, text, values)
        }),
      ),
    async begin(timeoutMs = queryTimeoutMs) {
      const client = await pools.use(take)
      const wrong = await findWrongSettings(client, queryTimeoutMs).catch((error: unknown) => {
        client.release()
        throw error
      })
      return await begin(client, wrong, timeoutMs)
    },
    bossOptions() {
      const { maxBossConnections, listenTarget, maintenanceTimeoutMs } = options
      const name = `${applicationName}-boss`
      const ofBoss = {
        work: () => pools.make(maxBossConnections, name, { min: 1 }),
        listen: () => pools.make(maxBossConnections + 1, name, { to: listenTarget }),
      }
      const db = postgresBossDb(ofBoss, take, maintenanceTimeoutMs)
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
    wrong: readonly SessionSetting[],
    text: string,
    values: readonly unknown[],
  ): Promise<Result<Row>> {
    const tx = await begin(client, wrong, queryTimeoutMs)
    const result = await tx.query<Row>(text, values).catch(async (error: unknown) => {
      await tx.rollBack()
      throw error
    })
    await tx.commit()
    return result
  }

  /**
   * Names a prepared statement by its text, so that a pooled connection never has another statement
   * under the same name. Once a plan is lost, none is prepared any more: behind PgBouncer in
   * transaction mode they would be lost again and again.
   */
  async function runKept<Row>(client: TakenClient, text: string, values: readonly unknown[]) {
    const name = `feed_${hash('sha256', text).slice(0, 32)}`
    try {
      return await runOn<Row>(client, queryTimeoutMs, text, values, name)
    } catch (error) {
      if (!lostPlan.has(sqlState(error) ?? '')) throw error
      doPlansLast = false
      return await runOn<Row>(client, queryTimeoutMs, text, values)
    }
  }
}

function sizeOf({ options }: PgPool): number {
  return 'max' in options ? Number(options.max) : 10
}

// The plan is lost, belongs to another connection, or no longer fits the tables. The server reports
// that before it has done anything.
const lostPlan = new Set(['26000', '42P05', '0A000'])

async function begin(
  client: TakenClient,
  wrong: readonly SessionSetting[],
  query_timeout: number,
): ReturnType<Driver['begin']> {
  const text = [
    beginSql(wrong),
    // The server times out a little earlier than this process, so that waiting for a lock ends with
    // an error and a usable connection. Only a server that cannot answer costs the connection.
    `set local statement_timeout = ${Math.ceil(query_timeout * 0.9)}`,
    'set local lock_timeout = 0',
    markTxSql,
  ].join('; ')
  await client.run({ text, query_timeout }).catch((error: unknown) => {
    client.discard(error)
    client.release()
    throw error
  })
  return {
    query: (statement, values) => runOn(client, query_timeout, statement, values),
    executeSql: (statement, values) => client.executeSql(statement, values, query_timeout),
    async commit() {
      try {
        const { command } = await client.run({ text: 'commit', query_timeout })
        assertCommitted(command)
      } finally {
        client.release()
      }
    },
    async rollBack() {
      // On a broken connection it would wait as long as the statement did; destroying it is enough.
      if (!client.isBroken()) {
        await client.run({ text: 'rollback', query_timeout }).catch(client.discard)
      }
      client.release()
    },
  }
}

async function runOn<Row>(
  client: TakenClient,
  query_timeout: number,
  text: string,
  values: readonly unknown[],
  name?: string,
): Promise<Result<Row>> {
  const { rows, rowCount } = await client.run<Row>({
    ...(name !== undefined && { name }),
    text,
    values: toParameters(values),
    query_timeout,
    ...extended,
  })
  return { rows, rowCount: rowCount ?? 0 }
}

// 'extended' rejects a second statement in one text even without values, as PGlite does.
const extended = { types: ourTypes, queryMode: 'extended' }
