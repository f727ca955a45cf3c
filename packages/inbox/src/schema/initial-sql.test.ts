import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, type Database } from '@feed-receiver/database'
import { expect, it, onTestFinished } from 'vitest'
import { createInbox } from '../index.ts'

/** SQL against the partitions of days, of which pg-boss creates those of its own start. */
const unlessOfDay = (name: string) => `and ${name}::text !~ 'queue_stats_\\d{8}'`

/** Everything that a migration can leave in a schema, as text. */
const definitionsSql = `
  select 'column', attrelid::regclass::text, attname::text, attnum::text, format_type(atttypid, atttypmod),
    concat_ws(' ', attnotnull, attidentity, attgenerated, attstorage, attcompression,
      attcollation::regcollation, attoptions, pg_get_expr(adbin, adrelid), attacl)
    from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where attrelid in (select oid from pg_class where relnamespace = 'feed_inbox'::regnamespace)
      ${unlessOfDay('attrelid::regclass')}
  union all select 'relation', oid::regclass::text, relkind::text, relpersistence::text,
    case when relkind in ('i', 'I') then pg_get_indexdef(oid) end,
    concat_ws(' ', reloptions, relacl, relreplident, pg_get_expr(relpartbound, oid),
      pg_get_partkeydef(oid), obj_description(oid))
    from pg_class where relnamespace = 'feed_inbox'::regnamespace ${unlessOfDay('relname')}
  union all select 'constraint', conrelid::regclass::text, conname::text, '', pg_get_constraintdef(oid), ''
    from pg_constraint where connamespace = 'feed_inbox'::regnamespace
      ${unlessOfDay('conrelid::regclass')}
  union all select 'function', oid::regprocedure::text, '', '', pg_get_functiondef(oid), proacl::text
    from pg_proc where pronamespace = 'feed_inbox'::regnamespace
  union all select 'trigger', tgrelid::regclass::text, tgname::text, '', pg_get_triggerdef(oid), ''
    from pg_trigger where not tgisinternal
  union all select 'type', oid::regtype::text, typtype::text, '',
    array(select enumlabel::text from pg_enum where enumtypid = pg_type.oid order by enumsortorder)::text, ''
    from pg_type where typnamespace = 'feed_inbox'::regnamespace ${unlessOfDay('typname')}
  union all select 'sequence', schemaname || '.' || sequencename, last_value::text, start_value::text,
    increment_by::text, max_value::text from pg_sequences
  union all select 'schema', nspname::text, nspowner::regrole::text, nspacl::text, '', '' from pg_namespace
  union all select 'extension', extname::text, extversion, '', '', '' from pg_extension
  union all select 'setting', setdatabase::text, setrole::text, setconfig::text, '', ''
    from pg_db_role_setting`

it('creates the same as the migrations', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-initial-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await using begun = openDatabase({ folder: join(folder, 'begun') })
  await using migrated = openDatabase({ folder: join(folder, 'migrated') })
  // The inbox can then only migrate, because the database exists.
  await migrated.open()
  expect(await findSchemas(migrated)).not.toContain('feed_inbox')
  for (const database of [begun, migrated]) {
    await using inbox = createInbox({ database })
    await inbox.start()
  }
  expect(await contentsOf(begun)).toEqual(await contentsOf(migrated))
})

it('is not used without the permission to migrate', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-initial-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await using database = openDatabase({ folder })
  await using inbox = createInbox({ database, migrate: false })
  await expect(inbox.start()).rejects.toMatchObject({ code: 'not_migrated' })
  expect(await findSchemas(database)).not.toContain('feed_inbox')
})

async function findSchemas(database: Database): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    'select nspname as name from pg_namespace',
  )
  return rows.map(({ name }) => name)
}

/** All definitions, and the rows of all tables without the times at which they were written. */
async function contentsOf(database: Database): Promise<Record<string, unknown>> {
  const { rows: definitions } = await database.query<{ relation: string; kind: string }>(
    `select * from (${definitionsSql}) found order by 1, 2, 3, 4, 5, 6`,
  )
  expect(definitions.length).toBeGreaterThan(100)
  const tables = await database.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'feed_inbox'::regnamespace and relkind = 'r' ${unlessOfDay('relname')}`,
  )
  const contents: Record<string, unknown> = { definitions }
  for (const { name } of tables.rows) {
    const { rows } = await database.query(
      `select to_jsonb(t) as row from feed_inbox.${name} t order by t::text`,
    )
    contents[name] = rows.map(({ row }) => withoutTimes(row))
  }
  return contents
}

function withoutTimes(row: unknown): unknown {
  return Object.fromEntries(
    Object.entries(row as object).filter(([name]) => !/_(?:at|on)$/.test(name)),
  )
}
