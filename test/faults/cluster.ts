import { runSql, startPostgres, type PostgresServer } from '../support/postgres.ts'
import { askDatabase } from './ask-database.ts'
import { until } from '../support/until.ts'

/** A PostgreSQL, and those that took over from it. */
export interface Cluster {
  /** The server of the moment. */
  readonly primary: PostgresServer
  /** Where it listens. */
  readonly port: number
  /** Starts a server that has all that the primary commits from now on. */
  startStandby(): Promise<PostgresServer>
  /** Makes a standby the primary. What is connected to the old one is left as it is. */
  promote(standby: PostgresServer): Promise<void>
  stop(): Promise<void>
}

export async function startCluster(): Promise<Cluster> {
  let primary = await startPostgres({ isDurable: true })
  const servers = [primary]

  return {
    get primary() {
      return primary
    },
    get port() {
      return Number(new URL(primary.url).port)
    },
    async startStandby() {
      const standby = await startPostgres({ isDurable: true, standbyOf: primary.url })
      servers.push(standby)
      await followSynchronously(primary.url)
      return standby
    },
    async promote(standby) {
      await runSql(standby.url, 'select pg_promote()')
      primary = standby
    },
    async stop() {
      await Promise.all(servers.map((server) => server.stop()))
    },
  }
}

/** From here on the server commits nothing that its standby does not have. */
async function followSynchronously(url: string): Promise<void> {
  await askDatabase(url, `alter system set synchronous_standby_names = '*'`)
  await askDatabase(url, 'select pg_reload_conf()')
  const synchronous = `select from pg_stat_replication where sync_state = 'sync'`
  const isSynchronous = async () => (await askDatabase(url, synchronous)).length > 0
  await until('the standby is synchronous', isSynchronous, { withinMs: 30_000 })
}
