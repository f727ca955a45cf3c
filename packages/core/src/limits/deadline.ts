import { createChain, type Link } from './chain.ts'

export const deadlineReached = Symbol('deadline reached')

/** One limit on time for everything that happens to a delivery, one step after the other. */
export interface Deadline {
  /** By `performance.now()`. */
  startedAt: number
  isReached: boolean
  /** Called when it is reached; belongs to the step that is under way. */
  call: (() => void) | undefined
}

/** Deadlines that are all equally long. */
export interface Deadlines {
  start(): RunningDeadline
  clear(deadline: RunningDeadline): void
}

export interface RunningDeadline extends Deadline, Link<RunningDeadline> {}

/**
 * Makes deadlines of one length, so that the first one started is the first one reached. They share
 * one timer, which runs often enough for none to be late by more than a twentieth: a timer for each
 * would cost a delivery as much as its HMAC.
 */
export function createDeadlines(ms: number): Deadlines {
  const intervalMs = Math.max(1, ms / 20)
  const running = createChain<RunningDeadline>()
  let timer: NodeJS.Timeout | undefined

  function start(): RunningDeadline {
    const deadline: RunningDeadline = {
      startedAt: performance.now(),
      isReached: false,
      call: undefined,
      before: undefined,
      after: undefined,
    }
    running.append(deadline)
    timer ??= setInterval(check, intervalMs)
    return deadline
  }

  function clear(deadline: RunningDeadline): void {
    running.remove(deadline)
    deadline.call = undefined
  }

  function check(): void {
    const now = performance.now()
    for (;;) {
      const first = running.first()
      if (!first || now - first.startedAt < ms) break
      const { call } = first
      first.isReached = true
      clear(first)
      call?.()
    }
    if (running.first()) return
    clearInterval(timer)
    timer = undefined
  }

  return { start, clear }
}

/** Says whom to call when the deadline is reached; whoever was to be called before is not. */
export function onReached(deadline: Deadline, call: () => void): void {
  deadline.call = call
  if (deadline.isReached) call()
}

/** Waits for a step, but no longer than the deadline; the step itself goes on. */
export function withinDeadline<T>(
  deadline: Deadline,
  step: Promise<T>,
): Promise<T | typeof deadlineReached> {
  return new Promise((resolve, reject) => {
    onReached(deadline, () => resolve(deadlineReached))
    step.then(resolve, reject)
  })
}
