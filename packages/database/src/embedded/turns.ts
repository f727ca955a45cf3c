import { setImmediate } from 'node:timers'

/** Who asks for a turn: an urgent call of this process, its other calls, or another process. */
export type Rank = 'urgent' | 'own' | 'served'

/** After this many urgent turns in a row, another call of this process gets a turn. */
const mostUrgentInARow = 8
/** After this many turns of this process in a row, urgent or not, another process gets one. */
const mostOwnInARow = 32

/**
 * Creates a mutex with priorities: a function that waits for a turn, and resolves with a function
 * that passes it on. The event loop runs once between two turns. An embedded database answers
 * without ever waiting, so nothing else in the process would run until the queue is empty.
 */
export function shareTurns(): (rank: Rank) => Promise<() => void> {
  const waiting: Record<Rank, (() => void)[]> = { urgent: [], own: [], served: [] }
  let isTaken = false
  let urgentInARow = 0
  let ownInARow = 0

  return async (rank) => {
    if (isTaken) await new Promise<void>((start) => waiting[rank].push(start))
    isTaken = true
    return () => void setImmediate(passOn)
  }

  function passOn(): void {
    const rank = nextRank()
    urgentInARow = rank === 'urgent' ? urgentInARow + 1 : 0
    ownInARow = rank === 'served' ? 0 : ownInARow + 1
    const start = waiting[rank].shift() ?? (() => (isTaken = false))
    start()
  }

  function nextRank(): Rank {
    const { urgent, own, served } = waiting
    if (served.length > 0 && ownInARow >= mostOwnInARow) return 'served'
    if (own.length > 0 && urgentInARow >= mostUrgentInARow) return 'own'
    if (urgent.length > 0) return 'urgent'
    return own.length > 0 ? 'own' : 'served'
  }
}
