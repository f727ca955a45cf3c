import type { Inbox } from '@feed-receiver/inbox'
import { extendInbox, withContext } from '@feed-receiver/inbox/extend'

/** Keeps some entries from retention. */
// #region holds
export function createHolds(inbox: Inbox) {
  extendInbox(inbox, {
    name: 'holds',
    migrations: {
      '0001-holds.sql': 'create table hold (entry_id bigint primary key, reason text not null);',
    },
    tables: { hold: ['select', 'insert'] },
    async mayDelete({ tables }, tx, entryIds) {
      const { rows } = await tx.query<{ id: number }>(
        `select entry_id as id from ${holdsOf(tables)} where entry_id = any($1::bigint[])`,
        [entryIds],
      )
      const held = new Set(rows.map(({ id }) => id))
      return entryIds.filter((id) => !held.has(id))
    },
  })
  const hold = (eventId: string, reason: string) =>
    withContext(inbox, ({ database, tables, source }) =>
      database.query(
        `insert into ${holdsOf(tables)} select id, $3 from ${tables.entry}
         where source = $1 and event_id = $2`,
        [source, eventId, reason],
      ),
    )
  return { hold }
}

// In the schema of the inbox.
function holdsOf({ entry }: { entry: string }): string {
  return entry.replace(/entry$/, 'hold')
}
// #endregion
