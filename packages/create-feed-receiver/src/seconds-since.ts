/** The time since a reading of `performance.now()`, to be shown. */
export function secondsSince(startedAt: number): string {
  const seconds = (performance.now() - startedAt) / 1000
  return `${seconds.toFixed(seconds < 10 ? 2 : 0)} s`
}
