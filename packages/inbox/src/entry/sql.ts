/**
 * SQL for a timestamp as ISO 8601 in UTC, whatever the time zone of the session; to the millisecond,
 * or to the microsecond, which tells rows apart.
 */
export function isoTime(column: string, fraction: 'MS' | 'US' = 'MS'): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.${fraction}"Z"')`
}

/** SQL for bytes in Base64, without the line breaks that PostgreSQL puts in. */
export function base64Sql(column: string): string {
  return `translate(encode(${column}, 'base64'), e'\\n', '')`
}

/**
 * Whether a row stands behind that of an id, in the order of a column of times. Two plain values, since
 * a row from a subquery would not be looked up in an index.
 */
export function isBehindSql(table: string, column: string, way: '<' | '>', id: string): string {
  return `(${column}, id) ${way}
    ((select ${column} from ${table} where id = ${id}::bigint), ${id}::bigint)`
}

/**
 * What an ordered inbox handles one after the other: events of one subject of one provider. An event
 * without a subject waits for nobody. An expression over the columns of an entry; bounded, since
 * pg-boss keeps an index over it.
 */
export const orderKeySql = `left(coalesce(
  provider || '/' || coalesce(subject_type, '') || '/' || subject_key, 'entry/' || id
), 600)`

/** The order of acceptance. Ids alone are not it: those of one statement go by the ids of events. */
export const inOrderSql = 'order by received_at, id'
export const newestFirstSql = 'order by received_at desc, id desc'

/** A count that stops at a limit. */
export interface BoundedCount {
  count: number
  /** False if there may be more than were counted. */
  isExact: boolean
}

/** The limit of most counts, which keeps them cheap. */
export const countUpTo = 1_000

/** SQL that counts the rows of a query, but at most one more than the limit. */
export function countSql(query: string, upTo = countUpTo): string {
  return `(select count(*) from (${query} limit ${upTo + 1}) counted)`
}

/** Turns the result of `countSql` into a count. */
export function boundedCount(count = 0, upTo = countUpTo): BoundedCount {
  return { count: Math.min(count, upTo), isExact: count <= upTo }
}
