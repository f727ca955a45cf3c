import { startStore, type Store } from '../bench-store.ts'
import { startBenchProgram } from '../start-bench-program.ts'
import type { RunningProgram } from '../../support/start-program.ts'
import type { ContenderName } from '../contenders/contenders.ts'
import type { HandleContenderName } from '../handle-contender.ts'

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

/** The servers of data that a contender needs. */
export async function startStoreOf(
  name: HandleContenderName,
  { hasEffects = false, logFiles }: StoreNeeds = {},
): Promise<Store> {
  const isOnRedis = name.startsWith('bullmq')
  const redis = name === 'bullmq' ? 'snapshots' : 'always'
  return await startStore({
    hasPostgres: !isOnRedis || hasEffects,
    redis: isOnRedis ? redis : undefined,
    logFiles,
  })
}

/** The server of a contender on Express, which prints its port. */
export function startServer(name: ContenderName, { databaseUrl, redisUrl }: Store): RunningProgram {
  return startBenchProgram('accept-server.ts', ['express', name, secret, redisUrl || databaseUrl])
}

export async function stopAll(things: Record<string, { stop(): unknown }>): Promise<void> {
  await Promise.all(Object.values(things).map(({ stop }) => stop()))
}
