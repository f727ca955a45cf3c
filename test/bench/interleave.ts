/** Does the work of one contender this many times. */
export type Work = (times: number) => void | Promise<void>

/** How often each contender is measured, and how often it first runs to warm up. */
export interface Rounds {
  rounds: number
  warmUps?: number
}

/**
 * Runs the contenders in turn, round after round, so that other load on the machine affects all of them
 * equally. More and shorter rounds are better. Returns the measurements by contender.
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
    // In another order each time, so that no contender always follows the same one.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const result = await run(name)
      if (round >= 0) results[name].push(result)
    }
  }
  return results
}

/** The same for work of this process. Returns nanoseconds per operation. */
export async function interleave<Name extends string>(
  contenders: Readonly<Record<Name, Work>>,
  { rounds, times }: { rounds: number; times: number },
): Promise<Record<Name, number[]>> {
  return await takeTurns(Object.keys(contenders) as Name[], { rounds }, async (name) => {
    const startedAt = process.hrtime.bigint()
    await contenders[name](times)
    return Number(process.hrtime.bigint() - startedAt) / times
  })
}

/** The ratio of two contenders, round by round. */
export function ratios(of: readonly number[], to: readonly number[]): number[] {
  return of.map((value, round) => value / (to[round] ?? Number.NaN))
}
