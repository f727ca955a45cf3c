import type { Database } from '@feed-receiver/database'
import type { Row } from './board.ts'

/** Empties the database and makes the table that the handler writes to. */
export async function forgetEarlierRuns(database: Database): Promise<void> {
  for (const schema of ['feed_inbox', 'feed_inbox_queue', 'tour']) {
    await database.query(`drop schema if exists ${schema} cascade`)
  }
  await database.query('create schema tour')
  await database.query(
    'create table tour.effect (id serial primary key, event_id text, title text)',
  )
}

/** What the inbox and the handler's own table hold. */
export interface Inside {
  entries: { eventId: string; state: string }[]
  quarantine: { eventId: string; reason: string }[]
  effects: { eventId: string; id: number }[]
}

export async function lookInside(database: Database): Promise<Inside> {
  const [entries, quarantine, effects] = await Promise.all([
    database.query<Inside['entries'][number]>(
      'select event_id as "eventId", state from feed_inbox.entry',
    ),
    database.query<Inside['quarantine'][number]>(
      'select event_id as "eventId", reason from feed_inbox.quarantine',
    ),
    database.query<Inside['effects'][number]>(
      'select event_id as "eventId", id from tour.effect order by id',
    ),
  ])
  return { entries: entries.rows, quarantine: quarantine.rows, effects: effects.rows }
}

/** Fills in what became of each delivery. */
export function fillIn(rows: readonly Row[], { entries, quarantine, effects }: Inside): void {
  for (const row of rows) {
    const entry = entries.find(({ eventId }) => eventId === row.event)
    const aside = quarantine.find(({ eventId }) => eventId === row.event)
    const rowIds = effects.filter(({ eventId }) => eventId === row.event).map(({ id }) => id)
    row.inbox = entry?.state ?? (aside ? 'quarantine' : 'not stored')
    row.handler = rowIds.length > 0 ? `wrote row ${rowIds.join(' and ')}` : '-'
  }
}
