import { runSql, startPostgres, type PostgresServer } from '../../support/postgres.ts'
import { askDatabase } from './ask-database.ts'
import { until } from '../../support/until.ts'
import { freePort } from '../../support/free-port.ts'

/** A PostgreSQL, and the servers that took over from it. */
export interface Cluster {
  /** The current primary server. */
  readonly primary: PostgresServer
  /** Its port. */
  readonly port: number
  /** The ports of the servers that take turns. */
  readonly ports: readonly [number, number]
  /** Starts a server that has everything that the primary commits from now on. */
  startStandby(): Promise<PostgresServer>
  /** Makes a standby the primary. Connections to the old one stay as they are. */
  promote(standby: PostgresServer): Promise<void>
  stop(): Promise<void>
}

interface ClusterOptions {
  /**
   * Whether the servers take turns on two ports, so that a URL or a proxy can name both. A standby
   * then starts on the port of the failed primary.
   * @default false
   */
  takesTurns?: boolean
  /** Where the first server has its data. @default that of temporary files */
  parentFolder?: string | undefined
}

export async function startCluster({
  takesTurns = false,
  parentFolder,
}: ClusterOptions = {}): Promise<Cluster> {
  const ports = [await freePort(), await freePort()] as const
  let primary = await startPostgres({
    isDurable: true,
    port: ports[0],
    ...(parentFolder !== undefined && { parentFolder }),
  })
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

  /** Kills the previous primary, which may be frozen and must not run again. Returns its port. */
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

/** From now on the server commits nothing that its standby does not have. */
async function followSynchronously(url: string): Promise<void> {
  await askDatabase(url, `alter system set synchronous_standby_names = '*'`)
  await askDatabase(url, 'select pg_reload_conf()')
  const synchronous = `select from pg_stat_replication where sync_state = 'sync'`
  const isSynchronous = async () => (await askDatabase(url, synchronous)).length > 0
  await until('the standby is synchronous', isSynchronous, { withinMs: 30_000 })
}
