export const deadlineReached = Symbol('deadline reached')

/** One limit on time for everything that happens to a delivery, one step after the other. */
export interface Deadline {
  /** Waits for a step, but no longer than the deadline; the step itself goes on. */
  race<T>(step: Promise<T>): Promise<T | typeof deadlineReached>
  /** Says whom to call when the deadline is reached; the step before is no longer told. */
  onReached(call: () => void): void
  clear(): void
}

/** Starts the clock of one delivery, in milliseconds. */
export function startDeadline(ms: number): Deadline {
  let isReached = false
  let call: (() => void) | undefined
  const timer = setTimeout(() => {
    isReached = true
    call?.()
  }, ms)

  function onReached(next: () => void): void {
    call = next
    if (isReached) next()
  }

  return {
    onReached,
    race: (step) =>
      new Promise((resolve, reject) => {
        onReached(() => resolve(deadlineReached))
        step.then(resolve, reject)
      }),
    clear: () => clearTimeout(timer),
  }
}
