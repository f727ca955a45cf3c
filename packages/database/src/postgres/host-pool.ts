import type { Socket } from 'node:net'
import { sqlState } from '../errors.ts'
import type { SessionAttributes } from './host-list.ts'
import { askInTime } from './postgres-connect.ts'
import type { PgClient, PgPool } from './postgres-connect.ts'

interface HostPool {
  name: string
  pool: CountedPool
}

interface CountedPool extends PgPool {
  readonly totalCount: number
  readonly idleCount: number
  readonly options: { readonly max: number }
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'release', listener: (failure?: Error | boolean) => void): unknown
}

/**
 * One pool over several servers: a connection goes to the first server that accepts one. All other
 * pools are empty, so the connection limit holds. `timeoutMs` applies to all servers together.
 */
export function poolOverHosts(pools: readonly HostPool[], timeoutMs: number): PgPool {
  // A server that hung is tried last from then on, and one that worked is tried first.
  const hosts = pools.map((host) => ({ ...host, lastFailureMs: 0 }))
  type AnyHost = (typeof hosts)[number]
  for (const host of hosts) {
    host.pool.on('release', (failure) => {
      // The connection broke or timed out: the server may be gone.
      if (failure && sqlState(failure) === undefined) host.lastFailureMs = timeoutMs
    })
  }
  const sumOf = (count: (pool: CountedPool) => number) =>
    hosts.reduce((sum, { pool }) => sum + count(pool), 0)
  return {
    options: {},
    get totalCount() {
      return sumOf((pool) => pool.totalCount)
    },
    get idleCount() {
      return sumOf((pool) => pool.idleCount)
    },
    on: (event, listener) => hosts.forEach(({ pool }) => pool.on(event, listener)),
    removeListener(event, listener) {
      for (const { pool } of hosts) pool.removeListener(event, listener)
    },
    async end() {
      await Promise.all(hosts.map(({ pool }) => pool.end()))
    },
    connect(taken) {
      const endsAt = performance.now() + timeoutMs
      const untried = hosts.toSorted((a, b) => a.lastFailureMs - b.lastFailureMs)
      const failures: string[] = []
      tryNext()

      function tryNext(): void {
        const host = untried.shift()
        if (!host) return taken(new Error(failures.join('; ')), undefined)
        const startedAt = performance.now()
        const leftMs = Math.max(1, endsAt - startedAt)
        // A full pool belongs to the working server: a connection will become free.
        const limitMs = isFull(host) ? leftMs : leftMs / (untried.length + 1)
        connectWithin(host, limitMs, (error, client) => {
          // At once, because until then nobody listens to the errors of this connection.
          if (client) return taken(undefined, client)
          host.lastFailureMs = Math.max(1, performance.now() - startedAt)
          failures.push(`${host.name}: ${error.message || error.name}`)
          tryNext()
        })
      }
    },
  }

  function connectWithin(
    host: AnyHost,
    limitMs: number,
    done: (...outcome: [Error, undefined] | [undefined, PgClient]) => void,
  ): void {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      done(new Error(`no connection within ${Math.ceil(limitMs)} ms`), undefined)
    }, limitMs)
    host.pool.connect((error, client) => {
      clearTimeout(timer)
      if (client) host.lastFailureMs = 0
      if (isLate) client?.release(undefined)
      else if (client) done(undefined, client)
      else done(error ?? new Error('the pool returned no connection'), undefined)
    })
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
