/** One side of a comparison: does its work this many times. */
export type Side = (times: number) => void | Promise<void>

/** How often each side is measured, and how often it first runs to warm up. */
export interface Rounds {
  rounds: number
  warmUps?: number
}

/**
 * Runs the sides in turn, round after round, so that other load on the machine affects all of them
 * equally. More and shorter rounds are better. Returns the measurements by side.
 */
export async function takeTurns<Name extends string, Result>(
  names: readonly Name[],
  { rounds, warmUps = 1 }: Rounds,
  run: (name: Name) => Promise<Result>,
): Promise<Record<Name, Result[]>> {
  const results = Object.fromEntries(names.map((name) => [name, [] as Result[]])) as Record<
    Name,
    Result[]
  >
  for (let round = -warmUps; round < rounds; round += 1) {
    // In another order each time, so that no side always follows the same one.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const result = await run(name)
      if (round >= 0) results[name].push(result)
    }
  }
  return results
}

/** The same for work of this process. Returns nanoseconds per operation. */
export async function interleave<Name extends string>(
  sides: Readonly<Record<Name, Side>>,
  { rounds, times }: { rounds: number; times: number },
): Promise<Record<Name, number[]>> {
  return await takeTurns(Object.keys(sides) as Name[], { rounds }, async (name) => {
    const startedAt = process.hrtime.bigint()
    await sides[name](times)
    return Number(process.hrtime.bigint() - startedAt) / times
  })
}

/** The ratio of two sides, round by round. */
export function ratios(of: readonly number[], to: readonly number[]): number[] {
  return of.map((value, round) => value / (to[round] ?? Number.NaN))
}
