import type { Database } from '@feed-receiver/database'

/** Rows that refer to others are deleted with them. */
const tables = [
  'entry',
  'entry_body',
  'quarantine',
  'operation',
  'poll_stream',
  'stream_gap',
  'job',
]

/** Deletes every row of an inbox: a truncate would deadlock with the maintenance of pg-boss. */
export async function emptyInbox(database: Database): Promise<void> {
  for (const table of tables) await database.query(`delete from feed_inbox.${table}`)
}
