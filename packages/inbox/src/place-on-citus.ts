import { checkOption, codeOf, problem } from './errors.ts'
import type { Queue } from './queue/queue.ts'

export interface StartOptions {
  /**
   * With `'citus'`, moves the whole schema onto one worker of a Citus cluster, once. The database
   * must be its coordinator. Needs the role that has migrated.
   * @default no placement: the database decides where tables live
   */
  place?: 'citus'
}

/** Starts an inbox and places its schema. If that fails, the inbox does not run. */
export async function startAt<Opened extends { queue: Queue }>(
  { start, stop, whenRunning }: Starting<Opened>,
  { place }: StartOptions = {},
): Promise<void> {
  checkOption(place === undefined || place === 'citus', `place: use 'citus', or leave it out.`)
  await start()
  if (place === undefined) return
  try {
    await placeOnCitus((await whenRunning()).queue)
  } catch (error) {
    await stop()
    throw error
  }
}

interface Starting<Opened> {
  start(): Promise<void>
  stop(): Promise<void>
  whenRunning(): Promise<Opened>
}

/**
 * Moves the schema of an inbox onto one worker of Citus, once. Existing rows are copied, and other
 * processes wait for that. Errors: `no_citus`.
 */
async function placeOnCitus({ schema, query }: Pick<Queue, 'schema' | 'query'>): Promise<void> {
  if (!(await isCitus({ query }))) throw problem('no_citus')
  for (let attempt = 1; ; attempt += 1) {
    try {
      await query(placeSql(schema), [])
      return
    } catch (error) {
      // Workers of other processes lock the same tables in another order.
      if (attempt === maxAttempts || codeOf(error) !== deadlock) throw error
    }
  }
}

/** Whether a database has the extension. */
export async function isCitus({ query }: Pick<Queue, 'query'>): Promise<boolean> {
  const extensions = await query(`select from pg_extension where extname = 'citus'`, [])
  return extensions.length > 0
}

const maxAttempts = 10
const deadlock = '40P01'

// One statement: Citus passes the whole text of a query to its workers, which accept only one at a
// time.
function placeSql(schema: string): string {
  return `do $place$
declare
  foreign_key record;
begin
  perform held from ${schema}.migration_lock for update;
  if exists (select from pg_dist_schema where schemaid = '${schema}'::regnamespace) then
    return;
  end if;
  -- Citus refuses functions that are not immutable in many places, and pg-boss calls this one there. Its
  -- statements are planned anew each time, so each one has the time at which it was sent.
  alter function ${schema}.job_now() immutable;
  -- Until then pg-boss neither looks for index builds that wait nor refreshes its statistics: Citus
  -- refuses both statements. The inbox needs neither.
  update ${schema}.version set
    bam_on = '9999-01-01 00:00Z', monitor_backoff_on = '9999-01-01 00:00Z';

  -- Foreign keys of partitions keep Citus from converting the tables one by one.
  create temporary table partition_key on commit drop as
    select conrelid::regclass as place, conname as name, pg_get_constraintdef(oid) as definition
    from pg_constraint
    where contype = 'f' and connamespace = '${schema}'::regnamespace
      and conrelid in (select inhrelid from pg_inherits);
  for foreign_key in select * from partition_key loop
    execute format('alter table %s drop constraint %I', foreign_key.place, foreign_key.name);
  end loop;
  perform citus_schema_distribute('${schema}');
  for foreign_key in select * from partition_key loop
    execute format('alter table %s add constraint %I %s',
      foreign_key.place, foreign_key.name, foreign_key.definition);
  end loop;
end
$place$`
}
