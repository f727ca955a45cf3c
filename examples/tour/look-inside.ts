import type { Database } from '@feed-receiver/database'
import type { Inbox } from '@feed-receiver/inbox'
import type { Row } from './board.ts'

/** Empties the database and creates the table that the handler writes to. */
export async function forgetEarlierRuns(database: Database): Promise<void> {
  for (const schema of ['feed_inbox', 'tour']) {
    await database.query(`drop schema if exists ${schema} cascade`)
  }
  await database.query('create schema tour')
  await database.query(
    'create table tour.effect (id serial primary key, event_id text, title text)',
  )
}

/** The contents of the inbox and of the handler's own table. */
export interface Inside {
  entries: { eventId: string; state: string }[]
  quarantine: { eventId: string | null; reason: string }[]
  effects: { eventId: string; id: number }[]
}

export async function lookInside(database: Database, inbox: Inbox): Promise<Inside> {
  const [{ entries }, { quarantined }, effects] = await Promise.all([
    inbox.entries.list({ limit: 500 }),
    inbox.quarantined.list({ limit: 500 }),
    database.query<Inside['effects'][number]>(
      'select event_id as "eventId", id from tour.effect order by id',
    ),
  ])
  return { entries, quarantine: quarantined, effects: effects.rows }
}

/** Fills in the result of each delivery. */
export function fillIn(rows: readonly Row[], { entries, quarantine, effects }: Inside): void {
  for (const row of rows) {
    const entry = entries.find(({ eventId }) => eventId === row.event)
    const quarantined = quarantine.find(({ eventId }) => eventId === row.event)
    const rowIds = effects.filter(({ eventId }) => eventId === row.event).map(({ id }) => id)
    row.inbox = entry?.state ?? (quarantined ? 'quarantine' : 'not stored')
    row.handler = rowIds.length > 0 ? `wrote row ${rowIds.join(' and ')}` : '-'
  }
}
