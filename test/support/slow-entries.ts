import type { Database } from '@feed-receiver/database'

/**
 * Stores 60,000 entries from 2026-01-01 on, a second apart, in a started inbox. Some types and
 * providers never occur together, except in `evt_4000` of type_0 and provider-1.
 */
export async function storeEntries(database: Database): Promise<void> {
  await database.query(
    `insert into feed_inbox.entry (source, event_id, state, type, provider, category, title,
       confirmation, created_at, received_at, handled_at)
     select 'feed', 'evt_' || n, 'done', 'type_' || n % 2,
       'provider-' || case n when 4000 then 1 else n % 2 end, 'category', 'Title of ' || n,
       'confirmed', now(), timestamptz '2026-01-01' + n * interval '1 second', now()
     from generate_series(1, 60000) n`,
  )
  await database.query('analyze feed_inbox.entry')
}

/**
 * Makes reading the two oldest entries take longer than a count may take, as on a cold disk. No
 * more entries can be stored. The function declares almost no cost, so that PostgreSQL calls it
 * before it compares columns.
 */
export async function slowEntriesDown(database: Database): Promise<void> {
  await database.query('alter table feed_inbox.entry rename to kept')
  await database.query(
    `create function feed_inbox.read_slowly(event text) returns boolean language plpgsql cost 0.0001
     as $$ begin
       if event in ('evt_1', 'evt_2') then perform pg_sleep(0.6); end if;
       return true;
     end $$`,
  )
  await database.query(
    `create view feed_inbox.entry as
     select * from feed_inbox.kept where feed_inbox.read_slowly(event_id)`,
  )
}
