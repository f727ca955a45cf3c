import { startStore, type Store } from '../bench-store.ts'
import { startProcess, type BenchProcess } from '../start-process.ts'
import type { RivalName } from '../contenders/open-rival.ts'
import type { SideName } from '../open-side.ts'

export type Way = 'ours' | RivalName
export const ways = ['ours', 'naive', 'pg-boss', 'bullmq', 'bullmq-always'] as const satisfies Way[]
export const secret = 'feed_whsec_benchmark_0123456789abcdef'

export interface Part {
  say: (line: string) => void
  isQuick: boolean
}

/** A value for each name, made at once. */
export async function forEach<Name extends string, Value>(
  names: readonly Name[],
  make: (name: Name) => Promise<Value>,
): Promise<Record<Name, Value>> {
  const made = await Promise.all(names.map(async (name) => [name, await make(name)] as const))
  return Object.fromEntries(made) as Record<Name, Value>
}

/** The log files of PostgreSQL that are enough for a short part. */
export const fewLogFiles = 12

export interface StoreNeeds {
  /** Whether handlers insert into PostgreSQL. */
  hasEffects?: boolean
  logFiles?: number | undefined
}

/** The servers of data that a side needs. */
export async function startStoreOf(
  way: SideName,
  { hasEffects = false, logFiles }: StoreNeeds = {},
): Promise<Store> {
  const isOnRedis = way.startsWith('bullmq')
  const redis = way === 'bullmq' ? 'snapshots' : 'always'
  return await startStore({
    hasPostgres: !isOnRedis || hasEffects,
    redis: isOnRedis ? redis : undefined,
    logFiles,
  })
}

/** The server of a way on Express, which prints its port. */
export function startServer(way: Way, { databaseUrl, redisUrl }: Store): BenchProcess {
  return startProcess('accept-server.ts', ['express', way, secret, redisUrl || databaseUrl])
}

export async function stopAll(things: Record<string, { stop(): unknown }>): Promise<void> {
  await Promise.all(Object.values(things).map(({ stop }) => stop()))
}
