import { setImmediate } from 'node:timers'

/** As many urgent ones in a row, and one of the others gets its turn, so that none waits for ever. */
const mostUrgentInARow = 8

/**
 * Shares what only one can use at a time: gives a function that waits for the turn, and gives another
 * one to pass it on. Between two turns the event loop goes around once: an embedded database answers
 * without ever waiting, and nothing else of the process would run until its queue is empty.
 */
export function shareTurns(): (isUrgent: boolean) => Promise<() => void> {
  const urgent: (() => void)[] = []
  const others: (() => void)[] = []
  let isTaken = false
  let urgentInARow = 0

  return async (isUrgent) => {
    if (isTaken) await new Promise<void>((start) => (isUrgent ? urgent : others).push(start))
    isTaken = true
    return () => void setImmediate(passOn)
  }

  function passOn(): void {
    const isOthersTurn = urgentInARow >= mostUrgentInARow && others.length > 0
    const next = isOthersTurn ? undefined : urgent.shift()
    urgentInARow = next ? urgentInARow + 1 : 0
    const start = next ?? others.shift() ?? (() => (isTaken = false))
    start()
  }
}
