import { codeOf } from '@feed-receiver/core/internal'
import type { Inbox } from '@feed-receiver/inbox'
import { withContext, type InboxContext, type Queue } from '@feed-receiver/inbox/extend'
import { isCitusDatabase } from './citus-database.ts'
import { ShardError } from './errors.ts'

/**
 * Moves the schema of a running inbox, with its queue, onto one worker of a Citus cluster, once.
 * Existing rows are copied, and other processes wait for that. Call it after `inbox.start()`, as
 * the role that has migrated. Errors: `no_citus`, `not_running`.
 */
export async function placeOnCitus(inbox: Inbox<never>): Promise<void> {
  await withContext(inbox, placeContext)
}

async function placeContext({ database, queue }: InboxContext): Promise<void> {
  if (!isCitusDatabase(database)) {
    throw new ShardError(
      'no_citus',
      'The database of this inbox was not opened by citusDatabase, so its statements would fail there. Pass citusDatabase(url) to createInbox.',
    )
  }
  const extensions = await queue.query(`select from pg_extension where extname = 'citus'`, [])
  if (extensions.length === 0) {
    throw new ShardError(
      'no_citus',
      'The database has no citus extension, so the inbox cannot be placed. Use the coordinator of a Citus cluster as the database and run `create extension citus` there, or leave out placeOnCitus.',
    )
  }
  await moveSchema(queue)
}

async function moveSchema({ schema, query }: Queue): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await query(moveSql(schema), [])
      return
    } catch (error) {
      // Workers of other processes lock the same tables in another order.
      if (attempt === maxAttempts || codeOf(error) !== deadlock) throw error
    }
  }
}

const maxAttempts = 10
const deadlock = '40P01'

// One statement: Citus passes the whole text of a query to its workers, which accept only one at a
// time.
function moveSql(schema: string): string {
  return `do $$move$$
declare
  foreign_key record;
begin
  perform held from ${schema}.migration_lock for update;
  if exists (select from pg_dist_schema where schemaid = '${schema}'::regnamespace) then
    return;
  end if;
  -- Citus rejects functions that are not immutable in many places, and pg-boss calls this one there. Its
  -- statements are planned anew each time, so each one has the time at which it was sent.
  alter function ${schema}.job_now() immutable;
  -- Until then pg-boss neither looks for index builds that wait nor refreshes its statistics: Citus
  -- rejects both statements. The inbox needs neither.
  update ${schema}.version set
    bam_on = '9999-01-01 00:00Z', monitor_backoff_on = '9999-01-01 00:00Z';

  -- Foreign keys of partitions keep Citus from converting the tables one by one.
  create temporary table partition_key on commit drop as
    select conrelid::regclass as owner, conname as name, pg_get_constraintdef(oid) as definition
    from pg_constraint
    where contype = 'f' and connamespace = '${schema}'::regnamespace
      and conrelid in (select inhrelid from pg_inherits);
  for foreign_key in select * from partition_key loop
    execute format('alter table %s drop constraint %I', foreign_key.owner, foreign_key.name);
  end loop;
  perform citus_schema_distribute('${schema}');
  for foreign_key in select * from partition_key loop
    execute format('alter table %s add constraint %I %s',
      foreign_key.owner, foreign_key.name, foreign_key.definition);
  end loop;
end
$$move$$`
}
