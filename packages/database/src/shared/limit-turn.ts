import type { Turn } from '../embedded/engine.ts'
import { DatabaseError } from '../errors.ts'

/** How long another process may be idle inside its transaction, which blocks all others. */
const idleMs = 1_000
/** How long its transaction may take; a statement that runs then may finish first. */
const mostMs = 5_000

/** The turn of another process, for a transaction. */
export interface LimitedTurn extends Turn {
  /** Passes it on after the running statement, unless it has ended. */
  end(): void
}

/** Passes a turn on if the other process leaves its transaction open for too long. */
export function limitTurn(turn: Turn): LimitedTurn {
  let isRunning = false
  let isEnded = false
  let idle = setTimeout(end, idleMs).unref()
  const limit = setTimeout(end, mostMs).unref()

  return {
    ...turn,
    send: (make) => use(() => turn.send(make)),
    passOn: (last) => use(() => turn.passOn(last), true),
    end,
  }

  async function use<T>(run: () => Promise<T>, isLast = false): Promise<T> {
    // The other process waits for each answer.
    if (isEnded || isRunning) throw endedByLimit()
    isRunning = true
    isEnded = isLast
    clearTimeout(idle)
    try {
      return await run()
    } finally {
      isRunning = false
      if (isLast) clearTimeout(limit)
      else if (isEnded) await turn.passOn()
      else idle = setTimeout(end, idleMs).unref()
    }
  }

  function end(): void {
    if (isEnded) return
    isEnded = true
    clearTimeout(idle)
    clearTimeout(limit)
    if (!isRunning) void turn.passOn()
  }
}

/** The error of a transaction that took longer than another process may hold the database. */
export function endedByLimit(): DatabaseError {
  const message =
    'This transaction was rolled back, because another process holds the embedded database and limits a transaction to 5 seconds, and to 1 second of idle time. Shorten it, or pass a PostgreSQL URL as the database.'
  return new DatabaseError('unavailable', message)
}
