import { mkdir } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import type { PGlite } from '@electric-sql/pglite'
import type { Driver, QueryOptions } from '../driver.ts'
import { assertCommitted, attempt, DatabaseError, messageOf, say } from '../errors.ts'
import { takeLock } from '../lock/lock.ts'
import { assertSpace, bytesToRun } from './disk-space.ts'
import { executeOnPglite, pgliteBossDb } from './pglite-boss.ts'
import { letCrash } from './pglite-crash.ts'
import { openPgliteFolder } from './pglite-folder.ts'
import { checkpointIfDue, statementsOn, withoutValues } from './pglite-statements.ts'
import { shareTurns } from './turns.ts'

const maintainEveryMs = 60_000

type Opened = Awaited<ReturnType<typeof openFolder>>

/**
 * PGlite in a folder: one connection, so that every use of it takes its turn. Opening waits so long
 * for a live holder of the folder.
 */
export function pgliteDriver(folder: string, lockWaitMs: number): Driver {
  let opening: Promise<Opened> | undefined
  let maintenance: NodeJS.Timeout | undefined
  const waitForTurn = shareTurns()
  const reopenings = new Set<(lite: PGlite) => Promise<void>>()

  return {
    kind: 'pglite',
    async open() {
      await opened()
    },
    query: (text, values, options) => exclusively(({ run }) => run(text, values), options),
    async begin() {
      const { lite, lock, run, passOn } = await takeTurn()
      await lite.exec('begin').catch((error: unknown) => {
        passOn()
        throw error
      })
      return {
        async query(text, values) {
          await setImmediate()
          return await run(text, values)
        },
        async executeSql(text, values) {
          await setImmediate()
          return await withoutValues(executeOnPglite(lite, text, values))
        },
        async commit() {
          try {
            lock.assertHeld()
            const [result] = await lite.exec('commit')
            assertCommitted(result?.command)
          } finally {
            passOn()
          }
        },
        async rollBack() {
          await lite.exec('rollback').catch(() => undefined)
          passOn()
        },
      }
    },
    bossOptions: (gate) => ({
      backend: 'pglite',
      db: pgliteBossDb(gate, (use) => exclusively(({ lite }) => use(lite)), onReopen),
    }),
    async close() {
      clearInterval(maintenance)
      const passOn = await waitForTurn(false)
      try {
        const current = await opening?.catch(() => undefined)
        if (current) await closeFolder(current)
      } finally {
        passOn()
      }
    },
  }

  function opened(): Promise<Opened> {
    opening ??= open().catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }

  async function open(): Promise<Opened> {
    const current = await openFolder(folder, lockWaitMs).catch((cause: unknown) => {
      const isBadFolder = cause instanceof DatabaseError && cause.code === 'bad_folder'
      if (!maintenance || !isBadFolder) throw cause
      throw new DatabaseError('unavailable', say('not_reopened', { folder }), { cause })
    })
    try {
      for (const callBack of reopenings) await callBack(current.lite)
    } catch (error) {
      abandon(current)
      throw error
    }
    maintenance ??= setInterval(maintain, maintainEveryMs).unref()
    return current
  }

  /** Gives the engine to whoever is next, until it is passed on. */
  async function takeTurn({ isUrgent = false }: QueryOptions = {}) {
    await opened()
    const next = await waitForTurn(isUrgent)
    try {
      // Asked again: the engine may have crashed in the turn before.
      const current = await opened()
      current.lock.assertHeld()
      assertSpace(folder, bytesToRun)
      const passOn = () => {
        if (current.hasCrashed()) abandon(current)
        next()
      }
      return { ...current, passOn }
    } catch (error) {
      next()
      throw error
    }
  }

  async function exclusively<T>(
    use: (current: Opened) => Promise<T>,
    options?: QueryOptions,
  ): Promise<T> {
    const current = await takeTurn(options)
    try {
      return await use(current)
    } finally {
      current.passOn()
    }
  }

  function onReopen(callBack: (lite: PGlite) => Promise<void>): () => void {
    reopenings.add(callBack)
    return () => void reopenings.delete(callBack)
  }

  function abandon({ lock, closeFiles }: Opened): void {
    opening = undefined
    closeFiles()
    lock.release()
  }

  // What fails here fails for whoever comes next as well, who has somebody to tell.
  function maintain(): void {
    exclusively(({ lite }) => checkpointIfDue(lite)).catch(() => undefined)
  }
}

async function openFolder(folder: string, waitMs: number) {
  const taking = mkdir(folder, { recursive: true }).then(() => takeLock(folder, { waitMs }))
  const lock = await taking.catch((cause: unknown) => {
    if (cause instanceof DatabaseError) throw cause
    const text = say('not_written', { folder, reason: messageOf(cause) })
    throw new DatabaseError('bad_folder', text, { cause })
  })
  try {
    const lite = await openPgliteFolder(folder, lock.assertHeld)
    return { lite, lock, run: statementsOn(lite), ...letCrash(lite) }
  } catch (error) {
    lock.release()
    throw error
  }
}

async function closeFolder({ lite, lock }: Opened): Promise<void> {
  // Closing writes, and the folder may be somebody else's by now.
  const isOurs = attempt(() => lock.assertHeld() === undefined, false)
  if (isOurs) await lite.close().finally(lock.release)
}
