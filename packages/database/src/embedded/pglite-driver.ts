import { readdirSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { BossDb, Driver, Gate, InitialSql } from '../driver.ts'
import { attempt, DatabaseError, messageOf } from '../errors.ts'
import { takeLock, type HeldLock } from '../lock/lock.ts'
import { connectToHolder } from '../shared/remote-engine.ts'
import { EngineGone, type Engine } from './engine.ts'
import { openLocalEngine } from './local-engine.ts'
import { beginTx, executeSql, runStatement } from './pglite-statements.ts'

interface FolderOptions {
  lockWaitMs: number
  isShared: boolean
  isGuest: boolean
  /** Whether it is only used because the app named no database. */
  isDefault?: boolean
}

/**
 * PGlite in a folder, opened here or reached through the process that has it open. Opening waits
 * only for a live holder that cannot be reached. A call whose engine is gone opens another engine,
 * and runs there.
 */
export function pgliteDriver(folder: string, options: FolderOptions): Driver {
  let opening: Promise<Engine> | undefined
  let hasOpened = false
  /** They subscribe pg-boss to notifications, again with each engine that replaces a lost one. */
  const subscriptions = new Set<(engine: Engine) => Promise<void>>()

  return {
    kind: 'pglite',
    maxConnections: 1,
    async open({ initialSql } = {}) {
      opening ??= open(initialSql)
      await use(async () => undefined)
    },
    reserve() {},
    query: (text, values, queryOptions) =>
      use((engine) => runStatement(engine, text, values, queryOptions)),
    async begin(first) {
      const tx = await use(beginTx)
      first(tx)
      return tx
    },
    bossOptions: (gate) => ({ backend: 'pglite', db: bossDb(gate) }),
    async close() {
      const engine = await opening?.catch(() => undefined)
      await engine?.close()
    },
  }

  async function use<T>(run: (engine: Engine) => Promise<T>): Promise<T> {
    for (;;) {
      const current = (opening ??= open())
      try {
        return await run(await current)
      } catch (error) {
        if (!(error instanceof EngineGone)) throw error
        if (opening === current) opening = undefined
      }
    }
  }

  async function open(initialSql?: InitialSql): Promise<Engine> {
    try {
      const engine = await openEngine(folder, { ...options, initialSql })
      hasOpened = true
      await subscribeAgain(engine)
      return engine
    } catch (cause) {
      opening = undefined
      const isBadFolder = cause instanceof DatabaseError && cause.code === 'bad_folder'
      if (!hasOpened || !isBadFolder) throw cause
      throw new DatabaseError(
        'unavailable',
        `The embedded database in ${folder} crashed and cannot be reopened yet. Check that its disk has space and that no quota stops this process: each call tries again.`,
        { cause },
      )
    }
  }

  async function subscribeAgain(engine: Engine): Promise<void> {
    try {
      for (const subscribe of subscriptions) await subscribe(engine)
    } catch (error) {
      await engine.close()
      throw error
    }
  }

  function bossDb({ enter, currentTx }: Gate): BossDb {
    return {
      async executeSql(text, values, sqlOptions) {
        // Even with { db: tx }, pg-boss looks up a new queue through this object. The transaction
        // has the only connection, so a select runs in it; enter() rejects anything else.
        const tx = currentTx()
        if (tx && /^\s*select\s/i.test(text)) return await tx.executeSql(text, values)
        return await enter(() => use((engine) => executeSql(engine, text, values, sqlOptions)))
      },
      async listen(channel, onNotification, onReconnect) {
        let unlisten = async () => {}
        let isListening = () => false
        const subscribe = async (engine: Engine) => {
          unlisten = await engine.listen(channel, onNotification)
          isListening = () => engine.isListening()
          onReconnect()
        }
        await enter(() => use(subscribe))
        subscriptions.add(subscribe)
        return {
          isListening: () => isListening(),
          async close() {
            subscriptions.delete(subscribe)
            await enter(() => unlisten()).catch(unlessEnded)
          },
        }
      },
      // The one connection belongs to the database.
      close: async () => {},
    }
  }
}

// The subscription has already ended if the database was closed before pg-boss was stopped, or if
// the engine is gone.
function unlessEnded(error: unknown): void {
  const isClosed = error instanceof DatabaseError && error.code === 'closed'
  if (!isClosed && !(error instanceof EngineGone)) throw error
}

async function openEngine(
  folder: string,
  options: FolderOptions & { initialSql: InitialSql | undefined },
): Promise<Engine> {
  // Checked here, because a build in production mode loads modules without using them.
  if (options.isDefault && process.env['NODE_ENV'] === 'production') {
    throw new DatabaseError(
      'no_database',
      'No database is named, and NODE_ENV is production. Set DATABASE_URL to the URL of a PostgreSQL database, or to file:.feed-receiver/database to use the embedded database on purpose: it allows one process, and is not safe against power loss.',
    )
  }
  assertNoOtherData(join(folder, 'data'))
  const found = await lockOrEngine(folder, options).catch((cause: unknown) => {
    if (cause instanceof DatabaseError) throw cause
    const text = `The folder ${folder} for the embedded database cannot be written (${messageOf(cause)}). Give this process write access, or use another folder.`
    throw new DatabaseError('bad_folder', text, { cause })
  })
  if (!('assertHeld' in found)) return found
  try {
    return await openLocalEngine(folder, found, options)
  } catch (error) {
    found.release()
    throw error
  }
}

/** Rejects a folder of the app, such as a project, before anything is written into it. */
function assertNoOtherData(data: string): void {
  // If it cannot be read, opening it says why. An empty one may be a volume.
  const names = attempt(() => readdirSync(data), [])
  if (names.length === 0 || names.includes('PG_VERSION')) return
  throw new DatabaseError(
    'bad_folder',
    `The folder ${data} holds no embedded database: it has no file PG_VERSION. Use another folder for the database.`,
  )
}

async function lockOrEngine(
  folder: string,
  { lockWaitMs: waitMs, isShared, isGuest }: FolderOptions,
): Promise<HeldLock | Engine> {
  await mkdir(folder, { recursive: true })
  if (!isShared) return await takeLock(folder, { waitMs })
  const connect = ({ token }: { token: string }, leftMs: number) =>
    connectToHolder(folder, token, { isGuest, leaveMs: leftMs })
  return await takeLock(folder, { waitMs, connect })
}
