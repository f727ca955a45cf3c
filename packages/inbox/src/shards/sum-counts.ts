import { countUpTo, type BoundedCount } from '../entry/sql.ts'

/** Adds up bounded counts, to the same bound. One that is not known makes the sum a least one. */
export function sumCounts(
  counts: readonly (BoundedCount | null | undefined)[],
  upTo = countUpTo,
): BoundedCount {
  const sum = counts.reduce((total, one) => total + (one?.count ?? 0), 0)
  const isExact = sum <= upTo && counts.every((one) => one?.isExact === true)
  return { count: Math.min(sum, upTo), isExact }
}

/** The latest of some times in ISO 8601; null where there is none. */
export function latestTime(times: readonly (string | null | undefined)[]): string | null {
  return (
    times
      .filter((time) => typeof time === 'string')
      .toSorted()
      .at(-1) ?? null
  )
}

/** Rows by a key, in the order in which the keys came first. */
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
