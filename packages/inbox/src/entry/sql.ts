/**
 * SQL for a timestamp as ISO 8601 in UTC, in any session time zone: to the millisecond, or to the
 * microsecond, which tells rows apart.
 */
export function isoTime(column: string, fraction: 'MS' | 'US' = 'MS'): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.${fraction}"Z"')`
}

/** SQL for bytes in Base64, without the line breaks that PostgreSQL inserts. */
export function base64Sql(column: string): string {
  return `translate(encode(${column}, 'base64'), e'\\n', '')`
}

/** SQL for the rows of a query as one JSON array. */
export function listSql(query: string): string {
  return `(select coalesce(json_agg(listed), '[]') from (${query}) listed)`
}

/**
 * Whether a row comes after that of an id, in the order of a column of times; any row if the id is
 * null. If that row was deleted, the first of those that follow it by id takes its place. Compares
 * two plain values, because PostgreSQL would not look up a row of a subquery in an index.
 */
export function isBehindSql(table: string, column: string, way: '<' | '>', id: string): string {
  const [direction, first] = way === '<' ? ['desc', 'max'] : ['asc', 'min']
  return `(${id}::bigint is null or (${column}, id) ${way} (coalesce(
    (select ${column} from ${table} where id = ${id}::bigint),
    (select ${first}(${column}) from (
      select ${column} from ${table} where id ${way} ${id}::bigint and ${column} is not null
      order by id ${direction} limit ${maxTogether}
    ) near)
  ), ${id}::bigint))`
}

/** How many rows one statement stores, whose ids are not in the order of their times. */
const maxTogether = 100

/**
 * The key by which an ordered inbox handles events one after the other: provider and subject. An
 * event without a subject waits for no other event. An expression over the columns of an entry,
 * with a limited length because pg-boss indexes it.
 */
export const orderKeySql = `left(coalesce(
  provider || '/' || coalesce(subject_type, '') || '/' || subject_key, 'entry/' || id
), 600)`

/** The order of acceptance. Ids alone are not: within one statement they follow the event ids. */
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
