import { isoTime } from '../entry/sql.ts'

/**
 * SQL for the hash of one entry: over the members that never change after it was stored. The bytes
 * of an event that pull brought first are left out, because a later push adds them.
 */
export const leafSql = `sha256(${[
  'source',
  'event_id',
  `coalesce(case when first_push_at = received_at then sha256 end, '')`,
  isoTime('received_at', 'US'),
]
  .map(prefixed)
  .join(' || ')})`

/** SQL for a text in UTF-8 behind its length, so that no two lists of texts give the same bytes. */
function prefixed(text: string): string {
  return `int4send(octet_length(convert_to(${text}, 'UTF8'))) || convert_to(${text}, 'UTF8')`
}
