import { setImmediate } from 'node:timers'

/** Who asks for a turn: a caller that someone waits for, this process, or another process. */
export type Rank = 'urgent' | 'own' | 'served'

/** After as many urgent turns in a row, another caller gets a turn, so that none waits for ever. */
const mostUrgentInARow = 8
/** After as many turns of this process in a row, another process gets a turn. */
const mostOwnInARow = 32

/**
 * Makes a mutex with priorities: a function that waits for a turn and resolves with a function that
 * passes it on. Between two turns the event loop goes around once. An embedded database answers
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
