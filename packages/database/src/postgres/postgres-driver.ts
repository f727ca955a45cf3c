import type { BossDb, DatabaseOptions, Driver, DriverTx, Result } from '../driver.ts'
import { rolledBackInstead } from '../errors.ts'
import { toParameters } from '../values/parameters.ts'
import { parserFor } from '../values/value-parsers.ts'
import { keepPlans } from './kept-plans.ts'
import { postgresBossDb } from './postgres-boss.ts'
import { takeClient, type TakenClient } from './postgres-client.ts'
import type { PgPool } from './postgres-connect.ts'
import { makePool, onIdleError } from './postgres-pool.ts'

type PostgresOptions = Required<Omit<DatabaseOptions, 'lockWaitMs' | 'migrationTimeoutMs'>>

/** PostgreSQL through a `pg.Pool`: one made from a URL, or the app's own. */
export function postgresDriver(target: string | PgPool, options: PostgresOptions): Driver {
  const { connectionTimeoutMs, queryTimeoutMs, maintenanceTimeoutMs, applicationName } = options
  const plans = keepPlans()
  const doubts = { since: 0 }
  const bossDbs: BossDb[] = []
  let making: Promise<PgPool> | undefined
  if (typeof target !== 'string') target.on('error', onIdleError)

  return {
    kind: 'postgres',
    async open() {
      // A time, since a server may print it in a way that cannot be read.
      await withClient((client) => statementsOn(client, queryTimeoutMs).query('select now()', []))
    },
    query: (text, values, { isRepeated = false } = {}) =>
      withClient((client) => {
        const statements = statementsOn(client, queryTimeoutMs)
        if (!isRepeated) return statements.query(text, values)
        return plans.use(text, (name) => statements.query(text, values, name))
      }),
    transaction: (run, timeoutMs = queryTimeoutMs) =>
      withClient((client) => transact(client, run, timeoutMs)),
    bossOptions() {
      const db = postgresBossDb({
        makePool: () => makeOurs(options.maxBossConnections + 1, `${applicationName}-boss`),
        connectionTimeoutMs,
        maintenanceTimeoutMs,
        doubts,
      })
      bossDbs.push(db)
      return { db }
    },
    async close() {
      if (typeof target !== 'string') target.removeListener('error', onIdleError)
      const ours = await making?.catch(() => undefined)
      await Promise.all([ours?.end(), ...bossDbs.map((db) => db.close())])
    },
  }

  async function withClient<T>(use: (client: TakenClient) => Promise<T>): Promise<T> {
    const client = await takeClient(await pool(), connectionTimeoutMs, doubts)
    try {
      return await use(client)
    } finally {
      client.release()
    }
  }

  async function pool(): Promise<PgPool> {
    if (typeof target !== 'string') return target
    making ??= makeOurs(options.maxConnections, applicationName)
    return await making
  }

  async function makeOurs(max: number, name: string): Promise<PgPool> {
    return await makePool(target, { max, applicationName: name, connectionTimeoutMs })
  }
}

async function transact<T>(
  client: TakenClient,
  run: (tx: DriverTx) => Promise<T>,
  timeoutMs: number,
): Promise<T> {
  await begin(client, timeoutMs)
  let result: T
  try {
    result = await run(statementsOn(client, timeoutMs))
  } catch (error) {
    await rollBack(client, timeoutMs)
    throw error
  }
  const { command } = await client.run({ text: 'commit', query_timeout: timeoutMs })
  if (command !== 'COMMIT') throw rolledBackInstead()
  return result
}

// The server gives up a little earlier than we do, so that waiting for a lock ends with an error that
// leaves the connection usable. Only a server that cannot answer costs the connection.
async function begin(client: TakenClient, timeoutMs: number): Promise<void> {
  const text = `begin; set local statement_timeout = ${Math.ceil(timeoutMs * 0.9)}`
  try {
    await client.run({ text, query_timeout: timeoutMs })
  } catch (error) {
    client.discard(error)
    throw error
  }
}

// On a broken connection a ROLLBACK would wait as long as the statement did; destroying it is enough.
async function rollBack(client: TakenClient, timeoutMs: number): Promise<void> {
  if (client.isBroken()) return
  await client.run({ text: 'rollback', query_timeout: timeoutMs }).catch(client.discard)
}

function statementsOn(client: TakenClient, query_timeout: number) {
  return {
    async query<Row>(
      text: string,
      values: readonly unknown[],
      name?: string,
    ): Promise<Result<Row>> {
      const { rows, rowCount } = await client.run<Row>({
        ...(name !== undefined && { name }),
        text,
        values: toParameters(values),
        query_timeout,
        ...ourValues,
      })
      return { rows, rowCount: rowCount ?? 0 }
    },
    executeSql: (text: string, values?: readonly unknown[]) =>
      client.executeSql(text, values, query_timeout),
  }
}

// 'extended' refuses a second statement in one text also where there are no values, as PGlite does.
const ourValues = { types: { getTypeParser: parserFor }, queryMode: 'extended' }
