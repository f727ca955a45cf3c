import type { Database } from '@feed-receiver/database'

/** The columns in indexes of a schema that compare by a locale, and not by bytes. */
export async function findLocaleKeys(database: Database, schema: string): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    `select distinct attrelid::regclass::text || '.' || attname as name
     from pg_index
     join pg_class on pg_class.oid = indrelid
     join pg_attribute on attrelid = indrelid and attnum = any(indkey)
     where relnamespace = $1::text::regnamespace
       and attcollation <> 0 and attcollation <> '"C"'::regcollation`,
    [schema],
  )
  return rows.map(({ name }) => name)
}
