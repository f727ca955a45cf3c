export const deadlineReached = Symbol('deadline reached')

/** One limit on time for everything that happens to a delivery. */
export interface Deadline {
  reached: Promise<typeof deadlineReached>
  /** Waits for the work, but no longer than the deadline; the work itself goes on. */
  race<T>(work: Promise<T>): Promise<T | typeof deadlineReached>
  clear(): void
}

export function startDeadline(ms: number): Deadline {
  let timer: NodeJS.Timeout
  const reached = new Promise<typeof deadlineReached>((resolve) => {
    timer = setTimeout(resolve, ms, deadlineReached)
  })
  return {
    reached,
    race: (work) => Promise.race([work, reached]),
    clear: () => clearTimeout(timer),
  }
}
