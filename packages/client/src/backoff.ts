const firstDelayMs = 1_000
const longestDelayMs = 60_000

/** How long to wait after the nth failure in a row: doubling, capped, and spread by half. */
export function backoffMs(failures: number, random: () => number): number {
  const delayMs = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(failures - 1, 16))
  return delayMs * (0.5 + random() / 2)
}
