import { setTimeout as delay } from 'node:timers/promises'
import type { DatabaseOptions } from '../driver.ts'
import { endPools, fromPool, type ConnectionSource, type PgPool } from './postgres-connect.ts'
import { makePool, onIdleError } from './postgres-pool.ts'

type PoolOptions = Required<
  Pick<DatabaseOptions, 'maxConnections' | 'connectionTimeoutMs' | 'applicationName'>
>

/** The connection pools of one database, each made at its first use. */
export function openPools(target: string | PgPool, options: PoolOptions) {
  const { maxConnections, connectionTimeoutMs, applicationName } = options
  const maxReserved = Math.min(reservedConnections, maxConnections)
  let main = typeof target === 'string' ? undefined : Promise.resolve(fromPool(target))
  let reserved: Promise<ConnectionSource> | undefined
  let reservedInUse = 0
  // Transactions of the app may hold its own pool at any time.
  let isHeld = typeof target !== 'string'
  let reserving: Promise<unknown> | undefined
  if (typeof target !== 'string') target.on('error', onIdleError)

  return {
    use,
    /** On a connection that nothing else can hold, while one of these is free. */
    async useReserved<T>(run: (source: ConnectionSource) => Promise<T>): Promise<T> {
      // A process that only receives needs no second connection.
      const isFree = !isHeld && hasRoom(await main)
      return isFree || reservedInUse === maxReserved ? await use(run) : await onReserved(run)
    },
    /** Opens the reserved connection before statements that follow open others. */
    reserve(take: (source: ConnectionSource) => Promise<{ release(): void }>): void {
      isHeld = true
      // If that fails, the next urgent statement tries again.
      const opened = onReserved(async (source) => (await take(source)).release()).catch(() => {})
      reserving = Promise.race([opened, delay(reserveMs, undefined, { ref: false })])
    },
    make,
    async close(): Promise<void> {
      if (typeof target !== 'string') target.removeListener('error', onIdleError)
      await endPools(typeof target === 'string' ? [main, reserved] : [reserved])
    },
  }

  async function use<T>(run: (source: ConnectionSource) => Promise<T>): Promise<T> {
    await reserving
    main ??= make(maxConnections, applicationName)
    return await run(await main)
  }

  function hasRoom({ pools }: Pick<ConnectionSource, 'pools'> = { pools: [] }): boolean {
    const total = pools.reduce((sum, { totalCount = 0 }) => sum + totalCount, 0)
    return total < maxConnections || pools.some(({ idleCount = 0 }) => idleCount > 0)
  }

  async function onReserved<T>(run: (source: ConnectionSource) => Promise<T>): Promise<T> {
    reservedInUse += 1
    try {
      // One stays open, because the server may refuse the next one while others hold all.
      reserved ??= make(maxReserved, applicationName, { min: 1 })
      return await run(await reserved)
    } finally {
      reservedInUse -= 1
    }
  }

  /** Makes a pool of our own, to the same server unless `to` is another. */
  function make(
    max: number,
    application_name: string,
    { to = target, min = 0 }: { to?: string | PgPool; min?: number } = {},
  ): Promise<ConnectionSource> {
    const limits = { max, min, application_name, connectionTimeoutMillis: connectionTimeoutMs }
    return makePool(to, limits)
  }
}

/** How long other statements wait for the reserved connection. */
const reserveMs = 500

/** As many as the groups of deliveries that one inbox commits at once. */
const reservedConnections = 2
