import type { Tx } from '@feed-receiver/database'
import { storeSql, type NewEntry } from '../accept/store-entries.ts'
import { recordsSql } from '../entry/columns.ts'
import type { Place } from '../queue/queue.ts'
import { pullColumns, rowTypes, writeRows, type PulledRow } from './pulled-row.ts'

/**
 * Stores what is not known yet, with its jobs, in the order in which the rows stand. `isPushExpected`
 * says whether push should bring a row, too; null where nobody has said.
 */
export async function insertPulled(
  tx: Tx,
  place: Place,
  rows: readonly PulledRow[],
  at: Date,
  isPushExpected: (row: PulledRow) => boolean | null,
): Promise<NewEntry[]> {
  if (rows.length === 0) return []
  const types = { ...rowTypes, position: 'integer', push_expected: 'boolean' }
  const taken = [...pullColumns, 'push_expected']
  const text = storeSql(place, recordsSql('$2', 'pulled', types), taken, {
    // A microsecond for each keeps the order of the feed for lists and for an ordered queue.
    received_at: `$3::timestamptz + position * interval '1 microsecond'`,
    via: `'pull'`,
    change: `case when retracted_at is null then 'new' else 'retraction' end`,
    pulled_at: '$3',
  })
  const pulled = writeRows(rows, (row, index) => ({
    position: index + 1,
    push_expected: isPushExpected(row),
  }))
  return (await tx.query<NewEntry>(text, [place.source, pulled, at])).rows
}
