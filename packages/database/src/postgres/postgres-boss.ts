import { setTimeout as delay } from 'node:timers/promises'
import type { BossDb } from '../driver.ts'
import { assertCommitted } from '../errors.ts'
import type { PreparedStatements } from './prepared-statements.ts'
import { hadTooMany, type SqlStatement, type TakenClient } from './postgres-client.ts'
import { endPools, type ConnectionSource } from './postgres-connect.ts'
import { beginSql, readSession, setForSession } from './session.ts'

/** Time limit for a claim, a heartbeat, and other single statements. */
const momentMs = 10_000
/** Time limit for installing, migrating and building indexes, which cannot restart each time. */
const buildMs = 3_600_000
/** The interval and the time limit of the check that a silent connection is still alive. */
const checkEveryMs = 10_000
const checkTimeoutMs = 5_000
const listenAgainMs = 1_000

/** The connection that listens now, if there is one. */
interface Listener {
  client: TakenClient | undefined
  /** Behind a pooler that loses notifications, nothing says so. */
  isDirect: boolean
}

interface BossDbOptions {
  takeFrom: (source: ConnectionSource) => Promise<TakenClient>
  prepared: PreparedStatements
  maintenanceTimeoutMs: number
}

/**
 * The functions that pg-boss needs of PostgreSQL, on small pools of their own. The connections of
 * pg-boss itself would wait for ever for a statement without an answer, and block its supervision.
 */
export function postgresBossDb(
  makePool: Record<'work' | 'listen', () => Promise<ConnectionSource>>,
  { takeFrom, prepared, maintenanceTimeoutMs }: BossDbOptions,
): BossDb {
  const taken = new Set<TakenClient>()
  const closing = new AbortController()
  const making: { work?: Promise<ConnectionSource>; listen?: Promise<ConnectionSource> } = {}
  let closed: Promise<void> | undefined

  return {
    async executeSql(text, values, { isRepeated = false } = {}) {
      const client = await take('work')
      try {
        const run = (name?: string) => execute(client, { text, values, name })
        return await (isRepeated ? prepared.run(text, run) : run())
      } catch (error) {
        // pg-boss sends whole `begin … commit` texts: nobody may inherit the transaction of a
        // failed one.
        client.discard(error)
        throw error
      } finally {
        releaseClient(client)
      }
    },
    async listen(channel, onNotification, onReconnect) {
      const ending = new AbortController()
      const signal = AbortSignal.any([ending.signal, closing.signal])
      const listener: Listener = { client: undefined, isDirect: false }
      const subscribe = async () => {
        const client = await take('listen')
        try {
          client.hear(onNotification)
          const { isDirect } = await readSession(client, checkTimeoutMs)
          await client.run({ text: `listen "${channel.replaceAll('"', '""')}"` }, checkTimeoutMs)
          Object.assign(listener, { client, isDirect })
        } catch (error) {
          client.discard(error)
          releaseClient(client)
          throw error
        }
        onReconnect()
      }
      await subscribe().catch(unlessTooMany)
      const listening = keepListening(listener, subscribe, signal)
      return {
        isListening: () => listener.client?.isBroken() === false && listener.isDirect,
        async close() {
          ending.abort()
          await listening
        },
      }
    },
    close: () => (closed ??= close()),
  }

  /** Sets the right settings for this text only, because a pooler may share the connection. */
  async function execute(client: TakenClient, statement: SqlStatement) {
    const { text } = statement
    const limit = limitOf(text, maintenanceTimeoutMs)
    if (limit === buildMs) await setForSession(client, momentMs)
    const { wrong } = await readSession(client, momentMs)
    if (wrong.length === 0) return await client.executeSql(statement, limit)
    const { values } = statement
    if (begins.test(text)) {
      const begun = text.replace(begins, `${beginSql(wrong)};`)
      return await client.executeSql({ text: begun, values }, limit)
    }
    await client.run({ text: beginSql(wrong) }, momentMs)
    // Without its name, because a lost plan would fail the transaction.
    const result = await client.executeSql({ text, values }, limit)
    const { command } = await client.run({ text: 'commit' }, momentMs)
    assertCommitted(command)
    return result
  }

  async function take(pool: 'work' | 'listen'): Promise<TakenClient> {
    const made = (making[pool] ??= makePool[pool]())
    const client = await takeFrom(await made)
    taken.add(client)
    return client
  }

  function releaseClient(client: TakenClient): void {
    taken.delete(client)
    client.release()
  }

  async function keepListening(
    listener: Listener,
    subscribe: () => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    for (;;) {
      const { client } = listener
      if (client) await untilLost(client, signal)
      if (client) releaseClient(client)
      listener.client = undefined
      await pause(listenAgainMs, signal)
      if (signal.aborted) return
      // A listener also polls from time to time, so a failure here need not be reported.
      await subscribe().catch(() => undefined)
    }
  }

  // Aborts statements that still wait for an answer, because the server may never answer.
  async function close(): Promise<void> {
    closing.abort()
    const made = Object.values(making)
    await Promise.allSettled(made)
    for (const client of taken) {
      client.discard(new Error('closed'))
      client.release()
    }
    await endPools(made)
  }
}

// Workers also poll, so they can begin before the listener has its connection.
function unlessTooMany(error: unknown): undefined {
  if (!hadTooMany(error)) throw error
}

const begins = /^\s*begin\s*;/i

function limitOf(text: string, maintenanceTimeoutMs: number): number {
  if (/\b(?:create|alter|drop|reindex)\b/i.test(text)) return buildMs
  if (begins.test(text)) return maintenanceTimeoutMs
  return momentMs
}

/** Discards the connection at the end, so that its next user gets no notifications. */
async function untilLost(client: TakenClient, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !client.isBroken()) {
    await Promise.race([client.broken, pause(checkEveryMs, signal)])
    if (!signal.aborted)
      await client.run({ text: 'select 1' }, checkTimeoutMs).catch(() => undefined)
  }
  client.discard(new Error('listened on'))
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined)
}
