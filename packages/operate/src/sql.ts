/**
 * SQL for a timestamp as ISO 8601 in UTC, in any session time zone: to the millisecond, or to the
 * microsecond, which tells rows apart.
 */
export function isoTime(column: string, fraction: 'MS' | 'US' = 'MS'): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.${fraction}"Z"')`
}

/** A text that every column accepts: not longer than 500 characters, and without NUL. */
export function cleanText(text: string): string {
  return text.slice(0, 500).toWellFormed().replaceAll('\0', '\ufffd')
}
