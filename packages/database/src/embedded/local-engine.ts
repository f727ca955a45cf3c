import { setImmediate, setTimeout as delay } from 'node:timers/promises'
import type { InitialSql } from '../driver.ts'
import { attempt, DatabaseError } from '../errors.ts'
import type { HeldLock } from '../lock/lock.ts'
import { serveEngine } from '../shared/serve-engine.ts'
import { assertSpace, bytesToRun } from './disk-space.ts'
import { EngineGone, type Engine, type Turn } from './engine.ts'
import { watchCrash } from './pglite-crash.ts'
import { importPglite } from './pglite-fault.ts'
import { openPgliteFolder } from './pglite-folder.ts'
import { checkpointIfDue } from './pglite-statements.ts'
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
  const pglite = await importPglite()
  const lite = await openPgliteFolder(pglite, folder, lock.assertHeld, initialSql)
  const { hasCrashed, closeFiles } = watchCrash(lite)
  const waitForTurn = shareTurns()
  const prepared = new Set<string>()
  const channels: string[] = []
  let isGone = false
  let left = Promise.resolve()
  const engine: Engine = {
    pglite,
    prepared,
    isListening: () => !isGone,
    send: (make, rank) => inTurn(() => run(make()), rank),
    takeTurn,
    listen,
    close,
  }
  const onLeave = isGuest ? leave : undefined
  const server = isShared ? await serveEngine(folder, lock.token, engine, onLeave) : undefined
  const maintenance = setInterval(maintain, maintainEveryMs).unref()
  return engine

  async function close(): Promise<void> {
    const next = await waitForTurn('urgent')
    try {
      const isOurs = !isGone && isHeld()
      end()
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

  async function takeTurn(rank: Rank = 'own'): Promise<Turn> {
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
      pglite,
      prepared,
      async send(make) {
        await setImmediate()
        return await run(make())
      },
      async passOn(last) {
        try {
          if (last) lock.assertHeld()
          return last && (await run(last))
        } finally {
          if (!hasCrashed() && isHeld()) await cleanSession(rank).catch(abandon)
          if (hasCrashed()) abandon()
          next()
        }
      },
    }
  }

  /** Without the lock, nothing may write: the folder may belong to another process by now. */
  function isHeld(): boolean {
    return attempt(() => lock.assertHeld() === undefined, false)
  }

  async function inTurn<T>(use: () => Promise<T>, rank?: Rank): Promise<T> {
    const turn = await takeTurn(rank)
    try {
      return await use()
    } finally {
      await turn.passOn()
    }
  }

  async function run(message: Uint8Array) {
    return await lite.runExclusive(() => lite.execProtocol(message, { throwOnError: false }))
  }

  async function listen(
    channel: string,
    onNotification: (payload: string) => void,
    rank?: Rank,
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

  /**
   * All users share one session. A text of pg-boss that fails after its `begin` must not leave its
   * transaction open, and another process no settings, plans, temporary tables and locks.
   */
  async function cleanSession(rank: Rank): Promise<void> {
    if (lite.isInTransaction()) await lite.exec('rollback')
    if (rank !== 'served') return
    await lite.exec('discard all')
    prepared.clear()
    if (channels.length > 0) await lite.exec(channels.map((name) => `listen ${name}`).join(';'))
  }

  function abandon(): void {
    if (isGone) return
    end()
    closeFiles()
    lock.release()
  }

  function end(): void {
    isGone = true
    clearInterval(maintenance)
    server?.close()
  }

  // If this fails, the next call fails as well, and its caller can report it.
  function maintain(): void {
    inTurn(() => checkpointIfDue(lite)).catch(() => undefined)
  }
}
