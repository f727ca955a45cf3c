import { mkdir } from 'node:fs/promises'
import type { PGlite, QueryOptions } from '@electric-sql/pglite'
import type { Driver } from '../driver.ts'
import { DatabaseError } from '../errors.ts'
import type { FolderLock } from '../lock/held-lock.ts'
import { takeLock } from '../lock/lock.ts'
import { assertSpace, bytesToRun } from './disk-space.ts'
import { pgliteBossDb, type OnReopen } from './pglite-boss.ts'
import { closeFiles, letCrash } from './pglite-crash.ts'
import { openPgliteFolder } from './pglite-folder.ts'
import {
  checkpointIfDue,
  runStatement,
  runTransaction,
  sameValuesAsPostgres,
} from './pglite-statements.ts'
import { takeTurns, type TurnOptions } from './turns.ts'

export interface PgliteDriverOptions {
  /** How long opening waits for a live holder of the folder, in milliseconds. */
  lockWaitMs: number
}

const maintainEveryMs = 60_000

interface Opened {
  lite: PGlite
  lock: FolderLock
  queryOptions: QueryOptions
  hasCrashed: () => boolean
}

/** PGlite in a folder: one connection, so that every use of it takes its turn. */
export function pgliteDriver(folder: string, { lockWaitMs }: PgliteDriverOptions): Driver {
  let opening: Promise<Opened> | undefined
  let maintenance: NodeJS.Timeout | undefined
  const inTurn = takeTurns()
  const reopenings = new Set<Parameters<OnReopen>[0]>()

  return {
    kind: 'pglite',
    async open() {
      await opened()
    },
    query: (text, values, { isUrgent } = {}) =>
      exclusively(({ lite, queryOptions }) => runStatement(lite, text, values, queryOptions), {
        isUrgent,
      }),
    transaction: (runTx) =>
      exclusively(({ lite, lock, queryOptions }) =>
        runTransaction(lite, queryOptions, runTx, lock.assertHeld),
      ),
    bossOptions: (gate) => ({
      backend: 'pglite',
      db: pgliteBossDb(gate, (use) => exclusively(({ lite }) => use(lite)), onReopen),
    }),
    async close() {
      clearInterval(maintenance)
      await inTurn(async () => {
        const current = await opening?.catch(() => undefined)
        if (current) await closeFolder(current)
      })
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
    const current = await openFolder(folder, lockWaitMs).catch((error: unknown) => {
      const isBadFolder = error instanceof DatabaseError && error.code === 'bad_folder'
      throw maintenance && isBadFolder ? notReopened(folder, error) : error
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

  async function exclusively<T>(
    use: (current: Opened) => Promise<T>,
    options?: TurnOptions,
  ): Promise<T> {
    await opened()
    return await inTurn(async () => {
      // Asked again: the engine may have crashed in the turn before.
      const current = await opened()
      current.lock.assertHeld()
      assertSpace(folder, bytesToRun)
      try {
        return await use(current)
      } finally {
        if (current.hasCrashed()) abandon(current)
      }
    }, options)
  }

  function onReopen(callBack: Parameters<OnReopen>[0]): () => void {
    reopenings.add(callBack)
    return () => void reopenings.delete(callBack)
  }

  function abandon({ lite, lock }: Opened): void {
    opening = undefined
    closeFiles(lite)
    lock.release()
  }

  // What fails here fails for whoever comes next as well, who has somebody to tell.
  function maintain(): void {
    exclusively(({ lite }) => checkpointIfDue(lite)).catch(() => undefined)
  }
}

async function openFolder(folder: string, lockWaitMs: number): Promise<Opened> {
  const lock = await takeFolder(folder, lockWaitMs)
  try {
    const lite = await openPgliteFolder(folder, lock.assertHeld)
    return { lite, lock, queryOptions: sameValuesAsPostgres(lite), hasCrashed: letCrash(lite) }
  } catch (error) {
    lock.release()
    throw error
  }
}

async function takeFolder(folder: string, lockWaitMs: number): Promise<FolderLock> {
  try {
    await mkdir(folder, { recursive: true })
    return await takeLock(folder, { waitMs: lockWaitMs })
  } catch (error) {
    if (error instanceof DatabaseError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new DatabaseError(
      'bad_folder',
      `The folder ${folder} for the embedded database cannot be written (${reason}). Give this ` +
        'process the right to write there, or name another folder.',
      { cause: error },
    )
  }
}

async function closeFolder({ lite, lock }: Opened): Promise<void> {
  try {
    lock.assertHeld()
  } catch {
    // Closing writes, and the folder is somebody else's by now.
    return
  }
  try {
    await lite.close()
  } finally {
    lock.release()
  }
}

function notReopened(folder: string, cause: DatabaseError): DatabaseError {
  return new DatabaseError(
    'unavailable',
    `The embedded database in ${folder} crashed and cannot be opened again yet. Check that its disk ` +
      'has space and that no quota stops this process: each call tries again.',
    { cause },
  )
}
