import type { Socket } from 'node:net'
import { reasonOf, sqlState } from '../errors.ts'
import type { SessionAttributes } from './host-list.ts'
import { askInTime, connectInTime } from './postgres-connect.ts'
import type { ConnectionSource, PgClient, PgPool } from './postgres-connect.ts'

interface HostPool {
  name: string
  pool: CountedPool
}

interface CountedPool extends PgPool {
  readonly totalCount: number
  readonly idleCount: number
  readonly options: { readonly max: number }
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'acquire', listener: () => void): unknown
  on(event: 'release', listener: (failure?: Error | boolean) => void): unknown
}

/**
 * One source over several servers: a connection comes from the first one that accepts it. The pools
 * of all others are empty, so the connection limit holds. A server whose connection broke is tried
 * as if it had hung for `timeoutMs`.
 */
export function connectToHosts(pools: readonly HostPool[], timeoutMs: number): ConnectionSource {
  // A server that hung is tried last from then on, and one that worked is tried first.
  const hosts = pools.map((host) => ({ ...host, lastFailureMs: 0 }))
  for (const host of hosts) {
    host.pool.on('acquire', () => (host.lastFailureMs = 0))
    host.pool.on('release', (failure) => {
      // The connection broke or timed out: the server may be gone.
      if (failure && sqlState(failure) === undefined) host.lastFailureMs = timeoutMs
    })
  }
  return {
    pools: pools.map(({ pool }) => pool),
    async connect(limitMs, onError) {
      const endsAt = performance.now() + limitMs
      const untried = hosts.toSorted((a, b) => a.lastFailureMs - b.lastFailureMs)
      const failures: string[] = []
      for (const [index, host] of untried.entries()) {
        const startedAt = performance.now()
        const leftMs = Math.max(1, endsAt - startedAt)
        // A full pool belongs to the working server: a connection will become free.
        const hostMs = isFull(host) ? leftMs : leftMs / (untried.length - index)
        try {
          return await connectInTime(host.pool, hostMs, onError)
        } catch (error) {
          host.lastFailureMs = Math.max(1, performance.now() - startedAt)
          failures.push(`${host.name}: ${reasonOf(error)}`)
        }
      }
      throw new Error(failures.join('; '))
    },
  }
}

function isFull({ pool }: HostPool): boolean {
  return pool.idleCount === 0 && pool.totalCount >= pool.options.max
}

/** Rejects if the server is not of the kind that the URL requires. */
export async function assertAttributes(
  client: Pick<PgClient, 'query'> & { connection?: { stream?: Pick<Socket, 'destroy'> } },
  attributes: SessionAttributes,
  timeoutMs: number,
): Promise<void> {
  try {
    const text = `select pg_is_in_recovery() as "isStandby",
      current_setting('transaction_read_only')::boolean as "isReadOnly"`
    const { rows } = await askInTime<{ isStandby: boolean; isReadOnly: boolean }>(
      client,
      { text },
      timeoutMs,
    )
    if (rows[0]?.isStandby !== false) throw new Error('it is a standby')
    if (attributes === 'read-write' && rows[0].isReadOnly) throw new Error('it is read-only')
  } catch (error) {
    // node-postgres would wait for the server to close the connection.
    client.connection?.stream?.destroy()
    throw error
  }
}
