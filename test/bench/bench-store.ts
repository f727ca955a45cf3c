import { openSync, readSync, closeSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Redis } from 'ioredis'
import { Client } from 'pg'
import type { PostgresServer } from '../support/postgres.ts'
import { startRedis, type RedisServer } from '../support/redis.ts'
import { until } from '../support/until.ts'
import { familyCpuTime } from './cpu-time.ts'
import { startWarmPostgres } from './warm-postgres.ts'

/** What servers of data have used since their start. */
export interface StoreUse {
  postgresUs: number
  redisUs: number
  /** Bytes of PostgreSQL's WAL and of Redis's append-only file. */
  logBytes: number
}

/** The servers of data of one contender, which no other one shares. */
export interface Store {
  /** Of its PostgreSQL, or empty. */
  databaseUrl: string
  /** Of its Redis, or empty. */
  redisUrl: string
  use(): Promise<StoreUse>
  /** Counts the statements of PostgreSQL, and the commands that clients send to Redis. */
  countStatements(run: () => Promise<unknown>): Promise<number>
  stop(): Promise<void>
}

export interface StoreServers {
  hasPostgres: boolean
  /** Whether it has a Redis, and how that persists. */
  redis?: 'snapshots' | 'always' | undefined
  /** See `startWarmPostgres`. */
  logFiles?: number | undefined
}

/** Starts servers that persist as in production. */
export async function startStore({ hasPostgres, redis, logFiles }: StoreServers): Promise<Store> {
  const postgres = hasPostgres ? await postgresPart(await startWarmPostgres(logFiles)) : undefined
  const commands = redis
    ? redisPart(await startRedis({ appendsAlways: redis === 'always', keepsLog: true }))
    : undefined
  const parts = [postgres, commands].filter((part) => part !== undefined)
  return {
    databaseUrl: postgres?.url ?? '',
    redisUrl: commands?.url ?? '',
    async use() {
      const uses = await Promise.all(parts.map((part) => part.use()))
      const sum = (pick: (use: StoreUse) => number) => uses.reduce((all, use) => all + pick(use), 0)
      return {
        postgresUs: sum(({ postgresUs }) => postgresUs),
        redisUs: sum(({ redisUs }) => redisUs),
        logBytes: sum(({ logBytes }) => logBytes),
      }
    },
    async countStatements(run) {
      const counts = await Promise.all(parts.map((part) => part.startCounting()))
      await run()
      return (await Promise.all(counts.map((count) => count()))).reduce((all, one) => all + one, 0)
    },
    async stop() {
      await Promise.all(parts.map((part) => part.stop()))
    },
  }
}

interface Part {
  url: string
  use(): Promise<StoreUse>
  /** Returns a function that ends counting, and returns the count. */
  startCounting(): Promise<() => Promise<number>>
  stop(): Promise<void>
}

async function postgresPart(server: PostgresServer): Promise<Part> {
  const client = new Client({ connectionString: server.url })
  await client.connect()
  const log = join(dirname(server.dataFolder), 'log')
  const reload = async (setting: string, value: string) => {
    await client.query(setting)
    await client.query('select pg_reload_conf()')
    await until('PostgreSQL has read its settings', async () => {
      const { rows } = await client.query<{ log_statement: string }>('show log_statement')
      return rows[0]?.log_statement === value
    })
  }
  return {
    url: server.url,
    async use() {
      const postgresUs = familyCpuTime(server.pid)
      const { rows } = await client.query<{ at: number }>(
        `select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as at`,
      )
      return { postgresUs, redisUs: 0, logBytes: rows[0]?.at ?? 0 }
    },
    async startCounting() {
      await reload(`alter system set log_statement = 'all'`, 'all')
      const from = statSync(log).size
      return async () => {
        const text = readFrom(log, from)
        await reload('alter system reset log_statement', 'none')
        return text.match(/LOG: {2}(?:statement|execute)/g)?.length ?? 0
      }
    },
    async stop() {
      await client.end()
      await server.stop()
    },
  }
}

function redisPart(server: RedisServer): Part {
  const client = new Redis(server.url)
  return {
    url: server.url,
    async use() {
      const redisUs = familyCpuTime(server.pid)
      const size = /aof_current_size:(\d+)/.exec(await client.info('persistence'))?.[1] ?? 0
      return { postgresUs: 0, redisUs, logBytes: Number(size) }
    },
    async startCounting() {
      const monitor = await client.monitor()
      let count = 0
      const seenAll = new Promise<void>((resolve) => {
        monitor.on('monitor', (_time: string, [command]: string[], source: string) => {
          // This client sends it last.
          if (command?.toLowerCase() === 'echo') resolve()
          // What a script does inside Redis is part of the command that runs it.
          else if (source !== 'lua') count += 1
        })
      })
      return async () => {
        await client.echo('the last one')
        await seenAll
        monitor.disconnect()
        return count
      }
    },
    async stop() {
      client.disconnect()
      await server.stop()
    },
  }
}

function readFrom(path: string, from: number): string {
  const length = statSync(path).size - from
  const file = openSync(path, 'r')
  const bytes = Buffer.alloc(length)
  readSync(file, bytes, 0, length, from)
  closeSync(file)
  return bytes.toString()
}
