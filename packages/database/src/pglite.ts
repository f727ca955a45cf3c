import { mkdir } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import type { PGlite, QueryOptions, Transaction } from '@electric-sql/pglite'
import type { Driver, DriverTx, Result } from './driver.ts'
import { DatabaseError } from './errors.ts'
import { rolledBackInstead } from './guarded-tx.ts'
import type { FolderLock } from './held-lock.ts'
import { takeLock } from './lock.ts'
import { toParameters } from './parameters.ts'
import { executeOnPglite, pgliteBossDb } from './pglite-boss.ts'
import { openPgliteFolder } from './pglite-folder.ts'
import { sqlState } from './sql-state.ts'
import { takeTurns, type TurnOptions } from './turns.ts'
import { parserFor } from './value-parsers.ts'

export interface PgliteDriverOptions {
  /** How long opening waits for a live holder of the folder, in milliseconds. */
  lockWaitMs: number
}

interface Opened {
  lite: PGlite
  lock: FolderLock
  queryOptions: QueryOptions
}

/** PGlite in a folder: one connection, so that every use of it takes its turn. */
export function pgliteDriver(folder: string, { lockWaitMs }: PgliteDriverOptions): Driver {
  let opening: Promise<Opened> | undefined
  const inTurn = takeTurns()

  return {
    kind: 'pglite',
    async open() {
      await opened()
    },
    query: (text, values, { isUrgent } = {}) =>
      exclusively(({ lite, queryOptions }) => run(lite, text, values, queryOptions), { isUrgent }),
    transaction: (runTx) => exclusively((current) => transact(current, runTx)),
    bossOptions: (gate) => ({
      backend: 'pglite',
      db: pgliteBossDb(gate, (use) => exclusively(({ lite }) => use(lite))),
    }),
    async close() {
      const current = await opening?.catch(() => undefined)
      if (current) await closeFolder(current)
    },
  }

  function opened(): Promise<Opened> {
    opening ??= openFolder(folder, lockWaitMs).catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }

  async function exclusively<T>(
    use: (current: Opened) => Promise<T>,
    options?: TurnOptions,
  ): Promise<T> {
    const current = await opened()
    return await inTurn(async () => {
      current.lock.assertHeld()
      return await use(current)
    }, options)
  }
}

async function openFolder(folder: string, lockWaitMs: number): Promise<Opened> {
  const lock = await takeFolder(folder, lockWaitMs)
  try {
    const lite = await openPgliteFolder(folder, lock)
    return { lite, lock, queryOptions: sameValuesAsPostgres(lite) }
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
    throw notWritable(folder, error)
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

async function transact<T>(
  { lite, lock, queryOptions }: Opened,
  runTx: (tx: DriverTx) => Promise<T>,
): Promise<T> {
  let isCommitting = false
  try {
    return await lite.transaction(async (tx) => {
      const result = await runTx({
        async query(text, values) {
          await setImmediate()
          return await run(tx, text, values, queryOptions)
        },
        async executeSql(text, values) {
          await setImmediate()
          return await withoutValues(() => executeOnPglite(tx, text, values))
        },
      })
      lock.assertHeld()
      isCommitting = true
      return result
    })
  } catch (error) {
    if (isCommitting && sqlState(error) === '25P02') throw rolledBackInstead(error)
    throw error
  }
}

async function run<Row>(
  lite: PGlite | Transaction,
  text: string,
  values: readonly unknown[],
  queryOptions: QueryOptions,
): Promise<Result<Row>> {
  const parameters = toParameters(values)
  const { rows, rowCount = 0 } = await withoutValues(() =>
    lite.query<Row>(text, parameters, queryOptions),
  )
  return { rows, rowCount }
}

// PGlite hangs the values on its errors, and a body must not reach a log that way.
async function withoutValues<T>(query: () => Promise<T>): Promise<T> {
  try {
    return await query()
  } catch (error) {
    if (error instanceof Error && 'params' in error) Reflect.deleteProperty(error, 'params')
    throw error
  }
}

/** Replaces all of PGlite's own conversions: parameters are spelled already, rows get our parsers. */
function sameValuesAsPostgres(lite: PGlite): QueryOptions {
  const parsers = Object.keys(lite.parsers).map((oid) => [oid, parserFor(Number(oid))] as const)
  const asIs = { get: () => (value: string) => value }
  return { parsers: Object.fromEntries(parsers), serializers: new Proxy({}, asIs) }
}

function notWritable(folder: string, cause: unknown): DatabaseError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new DatabaseError(
    'bad_folder',
    `The folder ${folder} for the embedded database cannot be written (${reason}). Give this ` +
      'process the right to write there, or name another folder.',
    { cause },
  )
}
