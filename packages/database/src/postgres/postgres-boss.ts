import type { BossDb } from '../driver.ts'
import { listenOn } from './listen-on.ts'
import { takeClient, type Doubts, type PgPool, type TakenClient } from './postgres-client.ts'
import { resultsOf } from './postgres-results.ts'

export interface PostgresBossOptions {
  /** A pool for pg-boss alone. */
  makePool: () => Promise<PgPool>
  connectionTimeoutMs: number
  maintenanceTimeoutMs: number
  doubts: Doubts
}

/** A claim, a heartbeat, and what else asks for a moment of the server. */
const momentMs = 10_000
/** Installing, migrating, and the building of indexes, which cannot begin again each time. */
const buildMs = 3_600_000

/**
 * What pg-boss needs of PostgreSQL, on a small pool of its own. Its own way to the server would wait
 * for ever for a statement that nobody answers, and with that its supervision for all that follows.
 */
export function postgresBossDb({
  makePool,
  connectionTimeoutMs,
  maintenanceTimeoutMs,
  doubts,
}: PostgresBossOptions): BossDb {
  const taken = new Set<TakenClient>()
  let making: Promise<PgPool> | undefined
  const closing = new AbortController()
  const { signal } = closing
  let closed: Promise<void> | undefined

  return {
    async executeSql(text, values) {
      const client = await take()
      try {
        const query_timeout = limitOf(text, maintenanceTimeoutMs)
        const result = await client.run({
          text,
          query_timeout,
          ...(values && { values: [...values] }),
        })
        return { rows: resultsOf(result).flatMap(({ rows }) => rows) }
      } catch (error) {
        // It sends whole `begin … commit` texts: a failed one must leave its transaction to nobody.
        client.discard(error)
        throw error
      } finally {
        giveBack(client)
      }
    },
    listen: (channel, onNotification, onReconnect) =>
      listenOn({ take, giveBack, signal, channel, onNotification, onReconnect }),
    async close() {
      closed ??= close()
      await closed
    },
  }

  async function take(): Promise<TakenClient> {
    making ??= makePool()
    const client = await takeClient(await making, connectionTimeoutMs, doubts)
    taken.add(client)
    return client
  }

  function giveBack(client: TakenClient): void {
    taken.delete(client)
    client.release()
  }

  // What still waits for an answer is given up: the server may be one that never answers.
  async function close(): Promise<void> {
    closing.abort()
    const pool = await making?.catch(() => undefined)
    for (const client of taken) {
      client.discard(new Error('closed'))
      client.release()
    }
    await pool?.end()
  }
}

function limitOf(text: string, maintenanceTimeoutMs: number): number {
  if (/\b(?:create|alter|drop|reindex)\b/i.test(text)) return buildMs
  if (/^\s*begin\b/i.test(text)) return maintenanceTimeoutMs
  return momentMs
}
