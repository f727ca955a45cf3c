import type { Database } from '@feed-receiver/database'
import { isDatabaseUrl } from '../options/inbox-options.ts'

/** The error of a run that failed on purpose, in the app's log and on the page. */
export const failedOnPurpose = 'Failed on purpose, because you pressed f in feed-receiver dev.'

/** Whether a database, as it was named, is embedded or on this machine. */
export function isOnThisMachine(named: string): boolean {
  if (!isDatabaseUrl(named)) return true
  // A URL of several hosts cannot be parsed.
  const url = URL.canParse(named) ? new URL(named) : undefined
  const host = url?.searchParams.get('host') ?? url?.hostname
  return (
    host?.startsWith('/') || ['', 'localhost', '127.0.0.1', '[::1]'].includes(host ?? 'several')
  )
}

/**
 * Makes the next run of a handler fail when it commits, whatever process it runs in: a trigger
 * raises an error when its job is about to complete. Only for a database of development.
 */
export async function failNextRun(database: Database, schema = 'feed_inbox'): Promise<void> {
  await database.tx(async (tx) => {
    await tx.query(`set local lock_timeout = '2s'`)
    const { rowCount } = await tx.query('select where to_regclass($1) is null', [
      `"${schema}".dev_failure`,
    ])
    if (rowCount === 1) for (const statement of installSql(schema)) await tx.query(statement)
    await tx.query(`select setval('"${schema}".dev_failure', 0)`)
  })
}

/** Removes the trigger, also that of an earlier process. Leaves it without effect if it is in use. */
export async function removeFailure(database: Database, schema = 'feed_inbox'): Promise<void> {
  const { rowCount } = await database.query('select where to_regclass($1) is not null', [
    `"${schema}".dev_failure`,
  ])
  if (rowCount !== 1) return
  await database.query(`select setval('"${schema}".dev_failure', -1)`)
  await database.tx(async (tx) => {
    await tx.query(`set local lock_timeout = '2s'`)
    await tx.query(`drop function "${schema}".dev_failure() cascade`)
    await tx.query(`drop sequence "${schema}".dev_failure`)
  })
}

/**
 * The sequence tells which run fails: 0 the next one, -1 none, else that of one job. A sequence,
 * because it keeps its value when the transaction of the failed run is rolled back. A run that
 * shared its transaction then runs alone, and fails again as the same attempt.
 */
function installSql(schema: string): string[] {
  const sequence = `"${schema}".dev_failure`
  return [
    `create sequence ${sequence} minvalue -1 start 0`,
    `create function "${schema}".dev_failure() returns trigger language plpgsql as $$
     declare
       this_run bigint := (new.data ->> 'entryId')::bigint * 1000 + new.retry_count;
       chosen bigint := (select last_value from ${sequence});
     begin
       if chosen = 0 then
         perform pg_advisory_xact_lock(hashtext('${schema}.dev_failure'));
         chosen := (select last_value from ${sequence});
         if chosen = 0 then
           chosen := setval('${sequence}', this_run);
         end if;
       end if;
       if chosen = this_run then
         -- The schema says that the failure is not one of the inbox.
         raise exception '${failedOnPurpose}' using errcode = '23F00', schema = 'feed_receiver_dev';
       end if;
       return new;
     end $$`,
    `create trigger dev_failure before update on "${schema}".job for each row
     when (new.state = 'completed' and old.state = 'active' and coalesce(new.group_id, '') <> 'destination_test')
     execute function "${schema}".dev_failure()`,
  ]
}
