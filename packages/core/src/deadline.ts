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
  start(): RunningDeadline
  clear(deadline: RunningDeadline): void
}

/** A link in the chain of those that are running, in the order in which they are reached. */
export interface RunningDeadline extends Deadline {
  before: RunningDeadline | undefined
  after: RunningDeadline | undefined
}

/**
 * Makes deadlines of one length. They share one timer, which looks after them often enough for none
 * to be late by more than a twentieth: a timer for each would cost a delivery as much as its HMAC.
 */
export function createDeadlines(ms: number): Deadlines {
  const lookEveryMs = Math.max(1, ms / 20)
  let first: RunningDeadline | undefined
  let last: RunningDeadline | undefined
  let timer: NodeJS.Timeout | undefined

  function start(): RunningDeadline {
    const at = performance.now() + ms
    const deadline = { at, isReached: false, call: undefined, before: last, after: undefined }
    if (last) last.after = deadline
    else first = deadline
    last = deadline
    timer ??= setInterval(look, lookEveryMs)
    return deadline
  }

  // A link that is taken out lets go of everything. The table of a Set does not: once it is old it
  // drags whatever it held into the old generation, and that cost a delivery more than its parsing.
  function clear(deadline: RunningDeadline): void {
    const { before, after } = deadline
    if (before) before.after = after
    else if (first === deadline) first = after
    if (after) after.before = before
    else if (last === deadline) last = before
    deadline.before = deadline.after = deadline.call = undefined
  }

  function look(): void {
    const now = performance.now()
    while (first && first.at <= now) {
      const { call } = first
      first.isReached = true
      clear(first)
      call?.()
    }
    if (first) return
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
