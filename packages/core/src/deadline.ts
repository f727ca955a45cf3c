export const deadlineReached = Symbol('deadline reached')

/** One limit on time for everything that happens to a delivery, one step after the other. */
export interface Deadline {
  /** When it is reached, by `performance.now()`. */
  at: number
  isReached: boolean
  /** Called when it is reached; belongs to the step that is under way. */
  call: (() => void) | undefined
}

/** Deadlines that are all equally long. */
export interface Deadlines {
  start(): Deadline
  clear(deadline: Deadline): void
}

/**
 * Makes deadlines of one length. They share one timer, which looks after them often enough for none
 * to be late by more than a twentieth: a timer for each would cost a delivery as much as its HMAC.
 */
export function createDeadlines(ms: number): Deadlines {
  // In the order in which they are reached, since a Set keeps the order of insertion.
  const running = new Set<Deadline>()
  const lookEveryMs = Math.max(1, ms / 20)
  let timer: NodeJS.Timeout | undefined

  function look(): void {
    const now = performance.now()
    for (const deadline of running) {
      if (deadline.at > now) break
      running.delete(deadline)
      deadline.isReached = true
      deadline.call?.()
    }
    if (running.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    start() {
      const deadline = { at: performance.now() + ms, isReached: false, call: undefined }
      running.add(deadline)
      timer ??= setInterval(look, lookEveryMs)
      return deadline
    },
    clear: (deadline) => void running.delete(deadline),
  }
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
