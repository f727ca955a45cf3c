import { setImmediate, setTimeout as delay } from 'node:timers/promises'
import type { InitialSql, QueryOptions } from '../driver.ts'
import { assertCommitted, attempt, DatabaseError } from '../errors.ts'
import type { HeldLock } from '../lock/lock.ts'
import { serveEngine } from '../shared/serve-engine.ts'
import { assertSpace, bytesToRun } from './disk-space.ts'
import { beginIn, EngineGone, type Engine, type Turn } from './engine.ts'
import { watchCrash } from './pglite-crash.ts'
import { openPgliteFolder } from './pglite-folder.ts'
import {
  checkpointIfDue,
  executeOnPglite,
  createStatements,
  withoutValues,
} from './pglite-statements.ts'
import { shareTurns, type Rank } from './turns.ts'

const maintainEveryMs = 60_000
const leaveForMs = 500

interface LocalEngineOptions {
  isShared: boolean
  isGuest: boolean
  initialSql: InitialSql | undefined
}

/**
 * PGlite in a folder whose lock this process holds. It has one connection, so every use waits for
 * its turn. With `isShared`, other processes of the same user may use it, too. Releases the lock
 * when it closes or crashes.
 */
export async function openLocalEngine(
  folder: string,
  lock: HeldLock,
  { isShared, isGuest, initialSql }: LocalEngineOptions,
): Promise<Engine> {
  const { lite, protocol } = await openPgliteFolder(folder, lock.assertHeld, initialSql)
  const { hasCrashed, closeFiles } = watchCrash(lite)
  const { run, forgetPrepared } = createStatements(lite, protocol)
  const waitForTurn = shareTurns()
  const channels: string[] = []
  let isGone = false
  let left = Promise.resolve()
  const served = { takeTurn, listen, ...(isGuest && { leave }) }
  const server = isShared ? await serveEngine(folder, lock.token, served) : undefined
  const maintenance = setInterval(maintain, maintainEveryMs).unref()

  return {
    isListening: () => !isGone,
    query: <Row>(text: string, values: readonly unknown[], options: QueryOptions = {}) =>
      inTurn(() => run<Row>(text, values, options), options.isUrgent === true ? 'urgent' : 'own'),
    async begin() {
      const turn = await takeTurn('own')
      await beginIn(turn)
      return {
        async query<Row>(text: string, values: readonly unknown[], options?: QueryOptions) {
          await setImmediate()
          return await run<Row>(text, values, options)
        },
        async executeSql(text, values) {
          await setImmediate()
          return await withoutValues(executeOnPglite(lite, text, values))
        },
        async commit() {
          try {
            await turn.commit()
          } finally {
            await turn.passOn()
          }
        },
        async rollBack() {
          await lite.exec('rollback').catch(() => undefined)
          await turn.passOn()
        },
      }
    },
    executeSql: (text, values = [], { isRepeated = false } = {}) =>
      inTurn(async () => {
        try {
          if (isRepeated) return await run(text, values, { isRepeated })
          return await executeOnPglite(lite, text, values)
        } catch (error) {
          // pg-boss sends whole `begin … commit` texts and expects a pool. A failed one must not
          // leave its transaction open for the next user of the only connection.
          await lite.exec('rollback').catch(() => undefined)
          throw error
        }
      }),
    listen: (channel, onNotification) => listen(channel, onNotification, 'own'),
    close,
  }

  async function close(): Promise<void> {
    const next = await waitForTurn('urgent')
    try {
      // Closing writes files, and the folder may belong to another process by now.
      const isOurs = !isGone && attempt(() => lock.assertHeld() === undefined, false)
      isGone = true
      clearInterval(maintenance)
      server?.close()
      if (isOurs) await lite.close().finally(lock.release)
    } finally {
      next()
    }
  }

  /** Closes for another process, and lets it take the lock before this process tries again. */
  async function leave(): Promise<void> {
    left = delay(leaveForMs)
    await close()
  }

  async function takeTurn(rank: Rank): Promise<Turn> {
    const next = await waitForTurn(rank)
    try {
      if (isGone) {
        await left
        throw new EngineGone()
      }
      lock.assertHeld()
      assertSpace(folder, bytesToRun)
    } catch (error) {
      next()
      const isLost = error instanceof DatabaseError && error.code === 'lock_lost'
      if (!isLost || rank !== 'served') throw error
      // The new holder of the lock has the folder open now, and serves the others.
      server?.close()
      throw new EngineGone()
    }
    return {
      lite,
      async commit() {
        lock.assertHeld()
        const [result] = await lite.exec('commit')
        assertCommitted(result?.command)
      },
      async passOn() {
        if (rank === 'served' && !hasCrashed()) await cleanSession().catch(abandon)
        if (hasCrashed()) abandon()
        next()
      },
    }
  }

  async function inTurn<T>(use: () => Promise<T>, rank: Rank = 'own'): Promise<T> {
    const { passOn } = await takeTurn(rank)
    try {
      return await use()
    } finally {
      await passOn()
    }
  }

  async function listen(
    channel: string,
    onNotification: (payload: string) => void,
    rank: Rank,
  ): Promise<() => Promise<void>> {
    // Before the turn is passed on, because a cleaned session listens to these channels again.
    channels.push(channel)
    const forget = () => void channels.splice(channels.indexOf(channel), 1)
    const unlisten = await inTurn(() => lite.listen(channel, onNotification), rank).catch(
      (error: unknown) => {
        forget()
        throw error
      },
    )
    return async () => {
      forget()
      await inTurn(() => unlisten(), rank)
    }
  }

  // All processes share one session. Settings, prepared statements, temporary tables and locks that
  // another process leaves in it must not affect the next user.
  async function cleanSession(): Promise<void> {
    if (lite.isInTransaction()) await lite.exec('rollback')
    await lite.exec('discard all')
    forgetPrepared()
    if (channels.length > 0) await lite.exec(channels.map((name) => `listen ${name}`).join(';'))
  }

  function abandon(): void {
    if (isGone) return
    isGone = true
    clearInterval(maintenance)
    server?.close()
    closeFiles()
    lock.release()
  }

  // If this fails, the next call fails as well, and its caller can report it.
  function maintain(): void {
    inTurn(() => checkpointIfDue(lite)).catch(() => undefined)
  }
}
