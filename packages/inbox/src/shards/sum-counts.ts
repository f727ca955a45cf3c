import { countUpTo, type BoundedCount } from '../entry/sql.ts'

/** Adds up bounded counts, to the same bound. With an unknown count, the sum is a minimum. */
export function sumCounts(
  counts: readonly (BoundedCount | null | undefined)[],
  upTo = countUpTo,
): BoundedCount {
  const sum = counts.reduce((total, one) => total + (one?.count ?? 0), 0)
  const isExact = sum <= upTo && counts.every((one) => one?.isExact === true)
  return { count: Math.min(sum, upTo), isExact }
}

/** The latest of some times in ISO 8601; null if there is none. */
export function latestTime(times: readonly (string | null | undefined)[]): string | null {
  return (
    times
      .filter((time) => typeof time === 'string')
      .toSorted()
      .at(-1) ?? null
  )
}

/** Groups rows by a key, in the order of first occurrence. */
export function groupBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Row[][] {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const key = keyOf(row)
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  return [...groups.values()]
}
