import { startHaproxy } from '../high-availability/haproxy.ts'
import { startPgBouncer } from '../high-availability/pgbouncer.ts'
import type { Cluster } from './cluster.ts'
import { startProxy, type Proxy } from './proxy.ts'

/**
 * A moving address, HAProxy with a check that finds the primary, PgBouncer in front of that, or a
 * URL with both hosts.
 */
export const databaseRoutes = ['address', 'haproxy', 'pgbouncer', 'hosts'] as const

export type DatabaseRoute = (typeof databaseRoutes)[number]

/** How the programs reach the current primary. */
export interface OpenRoute {
  databaseUrl: string
  /** In between; `hosts` does not use it. */
  databaseProxy: Proxy
  close(): Promise<void>
}

export async function openRoute(
  route: DatabaseRoute,
  cluster: Cluster,
  url: string,
): Promise<OpenRoute> {
  const isProxied = route === 'haproxy' || route === 'pgbouncer'
  const haproxy = isProxied ? await startHaproxy(cluster.ports) : undefined
  const bouncer = route === 'pgbouncer' && haproxy ? await startPgBouncer(haproxy.port) : undefined
  const databaseProxy = await startProxy(() => [bouncer?.port ?? haproxy?.port ?? cluster.port])
  return {
    databaseUrl:
      route === 'hosts' ? overHosts(url, cluster.ports) : atPort(url, databaseProxy.port),
    databaseProxy,
    async close() {
      await databaseProxy.close()
      await bouncer?.stop()
      await haproxy?.stop()
    },
  }
}

export function atPort(url: string, port: number): string {
  const other = new URL(url)
  other.port = String(port)
  return other.href
}

function overHosts(url: string, ports: readonly number[]): string {
  const { username, pathname } = new URL(url)
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',')
  return `postgres://${username}@${hosts}${pathname}?target_session_attrs=read-write`
}
