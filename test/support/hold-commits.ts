import type { Database } from '@feed-receiver/database'
import { onTestFinished } from 'vitest'

const lock = 4_711

/**
 * Makes each COMMIT that has written to one of these PostgreSQL tables wait while a test holds
 * commits. With a condition in SQL, only those that have written such a row, as `new`.
 */
export async function letCommitsWait(
  database: Database,
  tables: string[],
  condition = 'true',
): Promise<void> {
  const triggers = tables.map(
    (table) => `create constraint trigger waits after insert or update on ${table}
      deferrable initially deferred for each row when (${condition})
      execute function wait_at_commit();`,
  )
  await database.tx((tx) =>
    tx.executeSql(
      `create function wait_at_commit() returns trigger language plpgsql as
         $$ begin perform pg_advisory_xact_lock_shared(${lock}); return null; end $$;
       ${triggers.join('\n')}`,
    ),
  )
}

/** Holds commits until you call the returned function, or the test ends. */
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

/** The number of commits that wait now. */
export async function countHeldCommits(database: Database): Promise<number> {
  const { rows } = await database.query(
    `select from pg_locks where locktype = 'advisory' and objid = $1 and not granted`,
    [lock],
  )
  return rows.length
}
