import type { Database } from '@feed-receiver/database'
import { onTestFinished } from 'vitest'

const lock = 4_711

/**
 * Makes every COMMIT that has written to one of these tables of PostgreSQL wait while somebody holds
 * commits up.
 */
export async function letCommitsWait(database: Database, tables: string[]): Promise<void> {
  const triggers = tables.map(
    (table) => `create constraint trigger waits after insert or update on ${table}
      deferrable initially deferred for each row execute function wait_at_commit();`,
  )
  await database.tx((tx) =>
    tx.executeSql(
      `create function wait_at_commit() returns trigger language plpgsql as
         $$ begin perform pg_advisory_xact_lock_shared(${lock}); return null; end $$;
       ${triggers.join('\n')}`,
    ),
  )
}

/** Holds up commits until the function that it gives is called, or the test is over. */
export async function holdCommits(database: Database): Promise<() => Promise<void>> {
  let release = () => {}
  let onHeld = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  const held = new Promise<void>((resolve) => (onHeld = resolve))
  const holding = database.tx(async (tx) => {
    await tx.query('select pg_advisory_xact_lock($1)', [lock])
    onHeld()
    await released
  })
  const letGo = () => {
    release()
    return holding
  }
  onTestFinished(letGo)
  await Promise.race([held, holding])
  return letGo
}

/** How many commits wait just now. */
export async function countHeldCommits(database: Database): Promise<number> {
  const { rows } = await database.query(
    `select from pg_locks where locktype = 'advisory' and objid = $1 and not granted`,
    [lock],
  )
  return rows.length
}
