/** A count that stops counting somewhere. */
export interface BoundedCount {
  count: number
  /** False where there are more than were counted. */
  isExact: boolean
}

/** How far most counts go, so that asking stays cheap. */
export const countUpTo = 1_000

/** SQL that counts the rows of a query, but only one more than `boundedCount` tells. */
export function countSql(query: string, upTo = countUpTo): string {
  return `(select count(*) from (${query} limit ${upTo + 1}) counted)`
}

/** Makes the count of what `countSql` gave. */
export function boundedCount(count: number, upTo = countUpTo): BoundedCount {
  return { count: Math.min(count, upTo), isExact: count <= upTo }
}
