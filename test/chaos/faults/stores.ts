import { createTestDatabase } from '../../support/postgres.ts'
import { mountedDisk, type SmallDisk } from '../../support/small-disk.ts'
import { startRedis, type RedisOptions, type RedisServer } from '../../support/redis.ts'
import { startCluster, type Cluster } from './cluster.ts'
import { joinWires, startProxy, type Wire } from './proxy.ts'
import { atPort, openRoute, type DatabaseRoute } from './database-route.ts'

/** The databases of a run, and the routes to them. */
export interface Stores {
  readonly cluster: Cluster
  /** Where PostgreSQL has its data, in a run with a small disk. */
  readonly disk: SmallDisk | undefined
  readonly redis: RedisServer | undefined
  /** For the programs, through the wire. */
  readonly databaseUrl: string
  readonly redisUrl: string | undefined
  readonly wire: Wire
  /** For the harness, around the wire. It leads to the current primary. */
  readonly ownUrl: string
  /** Makes the harness connect anew, after another server became the primary. */
  reconnect(): void
  close(): Promise<void>
}

export interface StoresOptions {
  route: DatabaseRoute
  hasSmallDisk: boolean
  redis: RedisOptions | undefined
}

export async function openStores({
  route,
  hasSmallDisk,
  redis: redisOptions,
}: StoresOptions): Promise<Stores> {
  const undo: (() => unknown)[] = []
  try {
    return await open()
  } catch (error) {
    await close()
    throw error
  }

  async function open(): Promise<Stores> {
    const disk = hasSmallDisk ? await mountedDisk({ megabytes: 400, spareBytes: 0 }) : undefined
    undo.push(() => disk?.drop())
    const cluster = await startCluster({
      takesTurns: route !== 'address',
      parentFolder: disk?.folder,
    })
    undo.push(() => cluster.stop())
    const { url } = await createTestDatabase(cluster.primary)
    const opened = await openRoute(route, cluster, url)
    undo.push(opened.close)
    const ownProxy = await startProxy(() => [cluster.port])
    undo.push(() => ownProxy.close())
    const common = {
      cluster,
      disk,
      databaseUrl: opened.databaseUrl,
      ownUrl: atPort(url, ownProxy.port),
      reconnect: () => void ownProxy.cut(),
      close,
    }
    if (!redisOptions) {
      return { ...common, redis: undefined, redisUrl: undefined, wire: opened.databaseProxy }
    }
    const redis = await startRedis(redisOptions)
    undo.push(() => redis.stop())
    const redisProxy = await startProxy(() => [redis.port])
    undo.push(() => redisProxy.close())
    return {
      ...common,
      redis,
      redisUrl: atPort(redis.url, redisProxy.port),
      wire: joinWires([opened.databaseProxy, redisProxy]),
    }
  }

  // In reverse order of their start.
  async function close(): Promise<void> {
    for (const step of undo.splice(0).toReversed()) await step()
  }
}
