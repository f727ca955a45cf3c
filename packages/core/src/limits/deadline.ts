export const deadlineReached = Symbol('deadline reached')

/** One limit on time for everything that happens to a delivery, one step after the other. */
export interface Deadline {
  /** By `performance.now()`. */
  startedAt: number
  isReached: boolean
  /** Called when it is reached; belongs to the step that is under way. */
  call: (() => void) | undefined
  timer: NodeJS.Timeout
}

// A longer timer would fire at once.
const longestMs = 2 ** 31 - 1

/**
 * Starts a deadline with a timer of its own. One that all share would save 0.2 µs of the 60 to 100
 * that a delivery over HTTP takes, and 0.7 where they come one by one (Node 20.20.2, medians of 11
 * interleaved runs).
 */
export function startDeadline(ms: number): Deadline {
  const deadline: Deadline = {
    startedAt: performance.now(),
    isReached: false,
    call: undefined,
    timer: setTimeout(
      () => {
        deadline.isReached = true
        deadline.call?.()
      },
      Math.min(ms, longestMs),
    ),
  }
  return deadline
}

export function clearDeadline(deadline: Deadline): void {
  clearTimeout(deadline.timer)
  deadline.call = undefined
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
