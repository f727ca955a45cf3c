import type { DatabaseOptions } from '../driver.ts'
import type { PgPool } from './postgres-connect.ts'
import { makePool, onIdleError } from './postgres-pool.ts'

type PoolOptions = Required<
  Pick<DatabaseOptions, 'maxConnections' | 'connectionTimeoutMs' | 'applicationName'>
>

/** The connection pools of one database, each made at its first use. */
export function openPools(target: string | PgPool, options: PoolOptions) {
  const { maxConnections, connectionTimeoutMs, applicationName } = options
  const maxReserved = Math.min(reservedConnections, maxConnections)
  let main: Promise<PgPool> | undefined
  let reserved: Promise<PgPool> | undefined
  let reservedInUse = 0
  // Transactions of the app may hold its own pool at any time.
  let isHeld = typeof target !== 'string'
  let reserving: Promise<void> | undefined
  if (typeof target !== 'string') target.on('error', onIdleError)

  return {
    use,
    /** On a connection that nothing else can hold, while one of these is free. */
    async useReserved<T>(run: (pool: PgPool) => Promise<T>): Promise<T> {
      // Without handlers nothing holds a connection for long.
      if (!isHeld || reservedInUse === maxReserved) return await use(run)
      return await onReserved(run)
    },
    /** Opens the reserved connection, before any other call opens another one. */
    reserve(take: (pool: PgPool) => Promise<{ release(): void }>): void {
      isHeld = true
      // If that fails, the next urgent statement tries again.
      reserving ??= onReserved(async (pool) => (await take(pool)).release()).catch(() => {})
    },
    make,
    async close(): Promise<void> {
      if (typeof target !== 'string') target.removeListener('error', onIdleError)
      const made = [main, reserved].map((pool) => pool?.catch(() => undefined))
      await Promise.all(made.map(async (pool) => (await pool)?.end()))
    },
  }

  async function use<T>(run: (pool: PgPool) => Promise<T>): Promise<T> {
    await reserving
    if (typeof target !== 'string') return await run(target)
    main ??= make(maxConnections, applicationName)
    return await run(await main)
  }

  async function onReserved<T>(run: (pool: PgPool) => Promise<T>): Promise<T> {
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
  ): Promise<PgPool> {
    const limits = { max, min, application_name, connectionTimeoutMillis: connectionTimeoutMs }
    return makePool(to, limits)
  }
}

/** As many as the groups of deliveries that one inbox commits at once. */
const reservedConnections = 2
