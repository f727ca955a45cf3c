import { runSql, startPostgres, type PostgresServer } from '../support/postgres.ts'
import { askDatabase } from './ask-database.ts'
import { until } from '../support/until.ts'
import { freePort } from '../support/free-port.ts'

/** A PostgreSQL, and those that took over from it. */
export interface Cluster {
  /** The server of the moment. */
  readonly primary: PostgresServer
  /** Where it listens. */
  readonly port: number
  /** Where the servers listen that take turns. */
  readonly ports: readonly [number, number]
  /** Starts a server that has all that the primary commits from now on. */
  startStandby(): Promise<PostgresServer>
  /** Makes a standby the primary. What is connected to the old one is left as it is. */
  promote(standby: PostgresServer): Promise<void>
  stop(): Promise<void>
}

interface ClusterOptions {
  /**
   * Whether the servers take turns on two ports, so that both may stand in a URL or in a proxy. A
   * standby then starts where the failed primary was.
   * @default false
   */
  takesTurns?: boolean
}

export async function startCluster({ takesTurns = false }: ClusterOptions = {}): Promise<Cluster> {
  const ports = [await freePort(), await freePort()] as const
  let primary = await startPostgres({ isDurable: true, port: ports[0] })
  const servers = [primary]

  return {
    get primary() {
      return primary
    },
    ports,
    get port() {
      return portOf(primary)
    },
    async startStandby() {
      const port = takesTurns ? await freeOther() : await freePort()
      const standby = await startPostgres({ isDurable: true, standbyOf: primary.url, port })
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

  /** Ends the primary of before, which may be frozen; killed, because it is not to run once more. */
  async function freeOther(): Promise<number> {
    const other = portOf(primary) === ports[0] ? ports[1] : ports[0]
    const old = servers.findLast((server) => portOf(server) === other)
    old?.kill()
    await old?.stop()
    return other
  }
}

function portOf({ url }: PostgresServer): number {
  return Number(new URL(url).port)
}

/** From here on the server commits nothing that its standby does not have. */
async function followSynchronously(url: string): Promise<void> {
  await askDatabase(url, `alter system set synchronous_standby_names = '*'`)
  await askDatabase(url, 'select pg_reload_conf()')
  const synchronous = `select from pg_stat_replication where sync_state = 'sync'`
  const isSynchronous = async () => (await askDatabase(url, synchronous)).length > 0
  await until('the standby is synchronous', isSynchronous, { withinMs: 30_000 })
}
