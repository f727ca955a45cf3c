/** How many may overtake the one that waits longest. */
const window = 20

/**
 * Runs all items, concurrently if they do not hold the same things. The item that waits longest is
 * next for the things that it needs. Items that need other things overtake it.
 */
export async function takeTurns<T>(
  items: readonly T[],
  holdsOf: (item: T) => readonly string[],
  run: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = [...items]
  const held = new Set<string>()
  const running = new Set<Promise<void>>()

  while (waiting.length > 0 || running.size > 0) {
    startWhatCan()
    await Promise.race(running)
  }

  function startWhatCan(): void {
    const taken = new Set(held)
    let isSomebodyPassed = false
    for (const item of waiting.slice(0, window)) {
      const holds = holdsOf(item)
      const isFree = holds.every((name) => !taken.has(name))
      if (isFree) start(item, holds)
      // Reserves the things that the first waiting item needs.
      if (isFree || !isSomebodyPassed) for (const name of holds) taken.add(name)
      isSomebodyPassed ||= !isFree
    }
  }

  function start(item: T, holds: readonly string[]): void {
    waiting.splice(waiting.indexOf(item), 1)
    for (const name of holds) held.add(name)
    const done = run(item).finally(() => {
      for (const name of holds) held.delete(name)
      running.delete(done)
    })
    running.add(done)
  }
}
