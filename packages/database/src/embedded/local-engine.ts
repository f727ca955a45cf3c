import { setImmediate, setTimeout as delay } from 'node:timers/promises'
import { assertCommitted, attempt, DatabaseError } from '../errors.ts'
import type { HeldLock } from '../lock/lock.ts'
import { serveEngine } from '../shared/serve-engine.ts'
import { assertSpace, bytesToRun } from './disk-space.ts'
import { beginIn, EngineGone, type Engine, type Turn } from './engine.ts'
import { letCrash } from './pglite-crash.ts'
import { openPgliteFolder } from './pglite-folder.ts'
import {
  checkpointIfDue,
  executeOnPglite,
  statementsOn,
  withoutValues,
} from './pglite-statements.ts'
import { shareTurns, type Rank } from './turns.ts'

const maintainEveryMs = 60_000
const leaveForMs = 500

/**
 * PGlite in a folder whose lock this process holds: one connection, so that every use of it takes its
 * turn. Where `isShared`, other processes of the same user may use it, too. Gives the lock back when it
 * closes or crashes.
 */
export async function openLocalEngine(
  folder: string,
  lock: HeldLock,
  { isShared, isGuest }: { isShared: boolean; isGuest: boolean },
): Promise<Engine> {
  const lite = await openPgliteFolder(folder, lock.assertHeld)
  const { hasCrashed, closeFiles } = letCrash(lite)
  const run = statementsOn(lite)
  const waitForTurn = shareTurns()
  const channels: string[] = []
  let isGone = false
  let left = Promise.resolve()
  const served = { takeTurn, listen, ...(isGuest && { leave }) }
  const server = isShared ? await serveEngine(folder, lock.token, served) : undefined
  const maintenance = setInterval(maintain, maintainEveryMs).unref()

  return {
    query: (text, values, { isUrgent = false } = {}) =>
      inTurn(() => run(text, values), isUrgent ? 'urgent' : 'own'),
    async begin() {
      const turn = await takeTurn('own')
      await beginIn(turn)
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
    executeSql: (text, values) =>
      inTurn(async () => {
        try {
          return await executeOnPglite(lite, text, values)
        } catch (error) {
          // pg-boss sends whole `begin … commit` texts and expects a pool: a failed one must not
          // leave its transaction to whoever is next on the only connection.
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
      // Closing writes, and the folder may be somebody else's by now.
      const isOurs = !isGone && attempt(() => lock.assertHeld() === undefined, false)
      isGone = true
      clearInterval(maintenance)
      server?.close()
      if (isOurs) await lite.close().finally(lock.release)
    } finally {
      next()
    }
  }

  /** Closes for another process, and lets that one take the lock before this process looks at it. */
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
      // Whoever took the lock has the folder open now, and serves the others.
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
    // Before the turn is passed on: a session that is cleaned listens to these again.
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

  // There is one session. What another process leaves in it, such as settings, prepared statements,
  // temporary tables and locks, must meet nobody else.
  async function cleanSession(): Promise<void> {
    if (lite.isInTransaction()) await lite.exec('rollback')
    await lite.exec('discard all')
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

  // What fails here fails for whoever comes next as well, who has somebody to tell.
  function maintain(): void {
    inTurn(() => checkpointIfDue(lite)).catch(() => undefined)
  }
}
