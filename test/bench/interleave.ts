/** One side of a comparison: does its work that many times. */
export type Side = (times: number) => void | Promise<void>

/**
 * Runs the sides in turns, round after round, so that whatever else the machine does befalls all of
 * them alike. Gives nanoseconds for each piece of work, by side and round.
 */
export async function interleave<Name extends string>(
  sides: Readonly<Record<Name, Side>>,
  { rounds, times }: { rounds: number; times: number },
): Promise<Record<Name, number[]>> {
  const names = Object.keys(sides) as Name[]
  const results = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<
    Name,
    number[]
  >
  for (let round = -1; round < rounds; round += 1) {
    // Another order each time, so that no side always follows the same one.
    const order = round % 2 === 0 ? names : names.toReversed()
    for (const name of order) {
      const startedAt = process.hrtime.bigint()
      await sides[name](times)
      const nanoseconds = Number(process.hrtime.bigint() - startedAt) / times
      // The first round only warms up.
      if (round >= 0) results[name].push(nanoseconds)
    }
  }
  return results
}

/** The ratio of two sides, round by round. */
export function ratios(of: readonly number[], to: readonly number[]): number[] {
  return of.map((value, round) => value / (to[round] ?? Number.NaN))
}
