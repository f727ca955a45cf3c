import { setImmediate } from 'node:timers/promises'
import { beginIn, type Turn } from '../embedded/engine.ts'
import { runRaw } from '../embedded/pglite-statements.ts'
import { DatabaseError } from '../errors.ts'
import type { Parameter } from '../values/parameters.ts'
import type { SentResult } from './messages.ts'

/** How long another process may be idle inside its transaction, which blocks all others. */
const idleMs = 1_000
/** How long its transaction may take; a statement that runs then may finish first. */
const mostMs = 5_000

/** A transaction of another process, which has the turn until it ends. */
export type ServedTransaction = Awaited<ReturnType<typeof serveTransaction>>

/** Begins a transaction, and rolls it back if the other process leaves it open for too long. */
export async function serveTransaction(turn: Turn) {
  await beginIn(turn)
  let running = 0
  let isEnded = false
  let isPassedOn = false
  let idle = setTimeout(end, idleMs).unref()
  const limit = setTimeout(end, mostMs).unref()

  return {
    run: (text: string, values: Parameter[] | undefined): Promise<SentResult[]> =>
      use(async () => {
        await setImmediate()
        return await runRaw(turn.lite, text, values)
      }),
    commit: () => use(turn.commit, true),
    // Passing on the turn rolls back an open transaction.
    rollBack: () => use(async () => undefined, true),
    end,
  }

  async function use<T>(work: () => Promise<T>, isLast = false): Promise<T> {
    if (isEnded) throw endedByLimit()
    isEnded = isLast
    running += 1
    clearTimeout(idle)
    try {
      return await work()
    } finally {
      running -= 1
      idle = setTimeout(end, idleMs).unref()
      if (isEnded) await passOn()
    }
  }

  /** Rolls back after the running statement. */
  function end(): void {
    isEnded = true
    void passOn()
  }

  async function passOn(): Promise<void> {
    if (running > 0 || isPassedOn) return
    isPassedOn = true
    clearTimeout(idle)
    clearTimeout(limit)
    await turn.passOn()
  }
}

/** The error of a transaction that took longer than another process may hold the database. */
export function endedByLimit(): DatabaseError {
  const message =
    'This transaction was rolled back, because another process holds the embedded database and limits a transaction to 5 seconds, and to 1 second of idle time. Shorten it, or pass a PostgreSQL URL as the database.'
  return new DatabaseError('unavailable', message)
}
