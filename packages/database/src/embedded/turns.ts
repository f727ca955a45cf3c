import { setImmediate } from 'node:timers'

export interface TurnOptions {
  /** Whether somebody waits for it, so that it goes before others that came earlier. */
  isUrgent?: boolean | undefined
}

/** Runs a function once nobody else has the turn. */
export type InTurn = <T>(run: () => Promise<T>, options?: TurnOptions) => Promise<T>

/** As many urgent ones in a row, and one of the others gets its turn, so that none waits for ever. */
const mostUrgentInARow = 8

/**
 * Shares what only one can use at a time. Between two turns the event loop goes around once: an
 * embedded database answers without ever waiting, and nothing else of the process would run until
 * its queue is empty.
 */
export function takeTurns(): InTurn {
  const urgent: (() => void)[] = []
  const others: (() => void)[] = []
  let isTaken = false
  let urgentInARow = 0

  return async (run, { isUrgent = false } = {}) => {
    // Waited for here, so that `run` keeps the async context of its caller.
    if (isTaken) await new Promise<void>((start) => (isUrgent ? urgent : others).push(start))
    isTaken = true
    try {
      return await run()
    } finally {
      setImmediate(passOn)
    }
  }

  function passOn(): void {
    const start = nextUrgent() ?? nextOther() ?? (() => (isTaken = false))
    start()
  }

  function nextUrgent(): (() => void) | undefined {
    if (urgentInARow >= mostUrgentInARow && others.length > 0) return undefined
    urgentInARow += 1
    return urgent.shift()
  }

  function nextOther(): (() => void) | undefined {
    urgentInARow = 0
    return others.shift()
  }
}
