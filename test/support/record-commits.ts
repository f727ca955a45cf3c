import type { Database } from '@feed-receiver/database'

/**
 * Records how each COMMIT that has written to one of these tables waits for the disk. The returned
 * function empties the record, and returns the values of `synchronous_commit` by table.
 */
export async function recordCommits(
  database: Database,
  tables: string[],
): Promise<() => Promise<Record<string, string>>> {
  const triggers = tables.map(
    (table) => `create constraint trigger recorded after insert or update on ${table}
      deferrable initially deferred for each row execute function record_commit();`,
  )
  // At the commit, because a transaction may change the setting until then.
  await database.tx((tx) =>
    tx.executeSql(
      `create table recorded_commit (name text, setting text);
       create function record_commit() returns trigger language plpgsql as $$
       begin
         insert into public.recorded_commit
         values (tg_table_name, current_setting('synchronous_commit'));
         return null;
       end $$;
       ${triggers.join('\n')}`,
    ),
  )
  return async () => {
    const { rows } = await database.query<{ name: string; settings: string }>(
      `with taken as (delete from recorded_commit returning *)
       select name, string_agg(distinct setting, ' and ') as settings from taken group by name`,
    )
    return Object.fromEntries(rows.map(({ name, settings }) => [name, settings]))
  }
}
