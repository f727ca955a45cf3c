import { setTimeout as delay } from 'node:timers/promises'

/** Polls until there is a value, up to a timeout, and returns it. */
export async function until<T>(
  what: string,
  check: () => T | undefined | false | Promise<T | undefined | false>,
  { withinMs = 10_000 }: { withinMs?: number } = {},
): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const found = await check()
    if (found !== undefined && found !== false) return found
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`)
    await delay(20)
  }
}
