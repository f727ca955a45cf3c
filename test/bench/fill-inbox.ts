import { createInbox } from '@feed-receiver/inbox'
import type { Client } from 'pg'

/** Installs the tables of an inbox. */
export async function installInbox(database: string, schema: string): Promise<void> {
  const inbox = createInbox({ database, schema })
  await inbox.start()
  await inbox.stop()
}

export interface Filling {
  from: number
  count: number
  of: number
  /** Whether ids are in no order, so that every page of their index is as likely to be used. */
  hasRandomIds?: boolean
}

/** An event id like those of a load with `hasRandomIds`. */
export const randomId = `'evt_' || gen_random_uuid()`

/**
 * Stores `count` done entries from number `from` on, with bodies of one kilobyte, of many providers
 * and subjects. They are two seconds apart, and number `of` is received now.
 */
export async function fillInbox(
  client: Client,
  schema: string,
  { from, count, of, hasRandomIds = false }: Filling,
): Promise<void> {
  const id = hasRandomIds ? randomId : `'evt_full_' || n`
  await client.query(
    `with stored as (
       insert into ${schema}.entry (source, event_id, state, sha256, signed_by, signed_at, type,
         provider, category, subject_type, subject_key, title, confirmation, created_at, received_at,
         handled_at, push_count, first_push_at, last_push_at)
       select 'feed', ${id}, 'done', encode(sha256(n::text::bytea), 'hex'), 'abcdef012345',
         at, 'type_' || n % 20, 'provider_' || n % 50, 'category_' || n % 9, 'model',
         'model-' || n % 5000, 'Title number ' || n, 'confirmed', at, at, at, 1, at, at
       from generate_series($1::integer, $1::integer + $2::integer - 1) n,
         lateral (select now() - ($3::integer - n) * interval '2 seconds' as at) times
       returning id, sha256
     )
     insert into ${schema}.entry_body (entry_id, body, headers)
     select id, convert_to(rpad(sha256, 1000, sha256), 'utf8'), '{"content-type": "application/json"}'
     from stored`,
    [from, count, of],
  )
}
