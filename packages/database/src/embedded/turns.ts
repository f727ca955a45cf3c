import { setImmediate } from 'node:timers'

/** Who asks for a turn: somebody waits for the answer, this process, or another one. */
export type Rank = 'urgent' | 'own' | 'served'

/** As many urgent ones in a row, and one of the others gets its turn, so that none waits for ever. */
const mostUrgentInARow = 8
/** As many of this process in a row, and one of another process gets its turn. */
const mostOwnInARow = 32

/**
 * Shares what only one can use at a time: gives a function that waits for the turn, and gives another
 * one to pass it on. Between two turns the event loop goes around once: an embedded database answers
 * without ever waiting, and nothing else of the process would run until its queue is empty.
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
