import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '@feed-receiver/database'
import { createDatabase } from '../../packages/database/src/database.ts'
import type { Driver } from '../../packages/database/src/driver.ts'
import { pgliteDriver } from '../../packages/database/src/embedded/pglite-driver.ts'
import { copyEmbedded, type DatabaseContents } from './templates.ts'

/** An embedded database, for one test file at a time. */
interface Booted {
  driver: Driver
  drop: () => Promise<void>
  /** Every table, column, constraint, function and trigger, to see what a file has changed. */
  objects: string
  /** The tables that are not empty at first, with their rows as JSON. */
  rows: { name: string; rows: string }[]
}

// By worker, because files of a worker share modules.
const idle: Record<DatabaseContents, Booted[]> = { nothing: [], inbox: [] }

/**
 * Lends a booted embedded database with these contents, because booting one takes longer than most
 * test files. `giveBack` empties it for the next file. What a file left running gets the error
 * `closed`, as if the database had been closed.
 */
export async function lendEmbedded(
  contents: DatabaseContents,
): Promise<{ database: Database; giveBack: (hasFailed: boolean) => Promise<void> }> {
  const booted = idle[contents].pop() ?? (await boot(contents))
  const database = createDatabase({ ...booted.driver, close: async () => {} }, 60_000)
  return {
    database,
    async giveBack(hasFailed) {
      await database.close()
      if (!hasFailed && (await reset(booted).catch(() => false))) {
        idle[contents].push(booted)
        return
      }
      await booted.driver.close()
      // A failed file's data stays for inspection.
      if (!hasFailed) await booted.drop()
    },
  }
}

async function boot(contents: DatabaseContents): Promise<Booted> {
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-pglite-'))
  await copyEmbedded(folder, contents)
  const driver = pgliteDriver(folder, { lockWaitMs: 5_000, isShared: true, isGuest: false })
  const rows = []
  for (const name of await listTables(driver)) {
    const found = await driver.query<{ rows: string | null }>(
      `select json_agg(t)::text as rows from ${name} t`,
      [],
    )
    const text = found.rows[0]?.rows
    if (typeof text === 'string') rows.push({ name, rows: text })
  }
  return {
    driver,
    drop: () => rm(folder, { recursive: true, force: true }),
    objects: await listObjects(driver),
    rows,
  }
}

/** Whether it is as it was at first. */
async function reset({ driver, objects, rows }: Booted): Promise<boolean> {
  await run(driver, 'rollback; discard all')
  if ((await listObjects(driver)) !== objects) return false
  const tables = await listTables(driver)
  if (tables.length === 0) return true
  // Foreign keys and triggers see none of this.
  await run(driver, 'set session_replication_role = replica')
  await run(driver, `truncate ${tables.join(', ')} restart identity cascade`)
  for (const { name, rows: text } of rows) {
    await driver.query(
      `insert into ${name} overriding system value
       select * from json_populate_recordset(null::${name}, $1::json)`,
      [text],
    )
  }
  await run(driver, 'discard all')
  return true
}

async function run(driver: Driver, text: string): Promise<void> {
  const { db } = driver.bossOptions({ enter: (call) => call(), currentTx: () => undefined })
  await db.executeSql(text)
}

async function listTables(driver: Driver): Promise<string[]> {
  const { rows } = await driver.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
     where relkind in ('r', 'p') and relnamespace in (${ownSchemas}) order by relname`,
    [],
  )
  return rows.map(({ name }) => name)
}

const ownSchemas = `select oid from pg_namespace
  where nspname not like 'pg\\_%' and nspname <> 'information_schema'`

async function listObjects(driver: Driver): Promise<string> {
  const { rows } = await driver.query<{ objects: string }>(
    `select md5(string_agg(object, ';' order by object)) as objects from (
       select 'schema ' || nspname as object from pg_namespace
       where nspname not like 'pg\\_%'
       union all select format('%s %s %s', relkind, oid::regclass, reloptions) from pg_class
       where relnamespace in (${ownSchemas})
       union all select format('%s.%s %s %s', attrelid::regclass, attname, atttypid, attnotnull)
       from pg_attribute where attrelid in (
         select oid from pg_class where relnamespace in (${ownSchemas}))
       union all select format('%s %s', conname, pg_get_constraintdef(oid)) from pg_constraint
       where connamespace in (${ownSchemas})
       union all select format('%s %s', oid::regprocedure, md5(prosrc)) from pg_proc
       where pronamespace in (${ownSchemas})
       union all select format('%s %s %s', tgrelid::regclass, tgname, tgenabled) from pg_trigger
       where not tgisinternal
       union all select format('role %s', rolname) from pg_roles
     ) found`,
    [],
  )
  return rows[0]?.objects ?? ''
}
