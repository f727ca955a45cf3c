/** SQL for a timestamp as ISO 8601 in UTC, whatever the time zone of the session. */
export function isoTime(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/** SQL for bytes in Base64, without the line breaks that PostgreSQL puts in. */
export function base64Sql(column: string): string {
  return `translate(encode(${column}, 'base64'), e'\\n', '')`
}
